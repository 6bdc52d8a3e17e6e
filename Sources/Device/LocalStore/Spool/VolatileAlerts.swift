import Glibc
package import Model
import SystemKit

/// What was done while the home was not writable, in a folder in memory that lasts until the machine is switched off or the user logs out:
/// raised alerts, further calls for help that the server did not accept, and ends of alerts.
///
/// It keeps the ids under which an alert was sent, so that a second press updates the same alert on the server, and `alert deactivate` can
/// end it. None of it is durable. The store imports it, like the spool, once it can be written again.
package struct VolatileAlerts: Sendable {
  /// The files, each with its path.
  struct Contents {
    /// Alerts of their own.
    var raised: [(raised: RaisedAlert, path: String)] = []
    /// Further calls in an alert that was active.
    var calls: [(raised: RaisedAlert, path: String)] = []
    var ends: [(end: UnsavedEnd, path: String)] = []
    /// The calls that the server has, those in the spool too.
    var received: [Received] = []

    var paths: [String] { (raised + calls).map(\.path) + ends.map(\.path) + received.flatMap(\.paths) }
    var isEmpty: Bool { paths.isEmpty }
  }

  /// A call that the server has.
  struct Received {
    var call: AlertID
    /// When it accepted it, by its clock.
    var at: Timestamp
    /// The alert in which it has it: the call itself where that is one of its own. Nil where an older program noted it.
    var alert: AlertID?
    var paths: [String]
  }

  /// One in each folder in memory that only this user can access; new files go to the first.
  private let places: [Place]

  private struct Place {
    let path: String

    var raised: HomeDirectory { HomeDirectory(path: path) }
    var calls: HomeDirectory { HomeDirectory(path: path + "/calls") }
    var ends: String { path + "/ends" }
    var received: String { path + "/received" }
    /// Beside the files of `received`, which older programs read too.
    var receivedIn: String { path + "/received-in" }

    func removeIfEmpty() {
      for spool in [calls, raised] {
        unlink(spool.wakePath)
        rmdir(spool.spoolPath)
      }
      for folder in [ends, received, receivedIn, calls.path, path] { rmdir(folder) }
    }
  }

  /// The folders that a machine may have, first those that do not depend on the environment of a process.
  package static func folders(runtimeFolder: String?) -> [String] {
    let user = geteuid()
    let folders = ["/run/user/\(user)/lifesignal", "/dev/shm/lifesignal-\(user)"]
    guard let told = runtimeFolder.map({ $0 + "/lifesignal" }), told.hasPrefix("/") else { return folders }
    return folders.contains(told) ? folders : folders + [told]
  }

  /// Makes sure that one of the folders exists, so that an alert can be kept in it.
  package static func makeFolder(of folders: [String]) {
    _ = folders.first { (mkdir($0, 0o700) == 0 || errno == EEXIST) && isOwn($0) }
  }

  /// False if this user has raised no alert in memory since the machine was switched on.
  static func mayBe(in folders: [String]) -> Bool { folders.contains(where: isOwn) }

  /// nil if there is no folder. The home is identified by its inode, whatever its path; a copy is another home.
  package init?(_ home: HomeDirectory, device: DeviceID, account: AccountID, folders: [String]) {
    var status = stat()
    guard stat(home.path, &status) == 0 else { return nil }
    let name = "\(device) \(account) \(status.st_dev) \(status.st_ino)"
    places = folders.filter(Self.isOwn).map { Place(path: "\($0)/\(name)") }
    if places.isEmpty { return nil }
  }

  /// Keeps a new alert, which may have been a further call here, and gives it as it is kept: another process may have kept it before, with
  /// other words of earlier calls. What is sent under its ids has to be the same everywhere.
  ///
  /// Nil if that fails: then a further press is a second alert, and this device cannot end it, or it stays the further call that it was.
  package func keep(_ message: EmergencyMessage) -> EmergencyMessage? { alone { kept(message) ?? add(message) } }

  /// Makes a further call in memory an alert of its own: the server rejected it as an update. Gives it as it is kept, as `keep` does.
  ///
  /// Nil if it is not in memory, or could not be kept: then it has to be sent as it was noted.
  package func raise(_ message: EmergencyMessage) -> EmergencyMessage? {
    alone {
      if let kept = kept(message) { return kept }
      return contents.calls.contains { $0.raised.id == message.alert.id } ? add(message) : nil
    }
  }

  private func kept(_ message: EmergencyMessage) -> EmergencyMessage? {
    contents.raised.first { $0.raised.id == message.alert.id }.map { EmergencyMessage($0.raised) }
  }

  private func add(_ message: EmergencyMessage) -> EmergencyMessage? {
    guard let raised = message.raised, places.contains(where: { (try? Spool.write(raised, home: $0.raised)) != nil })
    else { return nil }
    for place in places { Spool.forget(raised.id, home: place.calls) }
    return message
  }

  /// Runs `body` while no other process does, if that is to be had soon: one that stands still must not hold up a call for help.
  private func alone<Result>(_ body: () -> Result) -> Result {
    guard let path = places.first?.path, (try? FileSystem.makeFolder(path)) != nil,
      let folder = FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY)
    else { return body() }
    var isLocked = false
    for _ in 0..<Self.lockTries where !isLocked {
      isLocked = (try? folder.tryLock()) ?? false
      if !isLocked { poll(nil, 0, Self.lockPauseMilliseconds) }
    }
    // Closing the folder ends the lock.
    return withExtendedLifetime(folder, body)
  }

  private static let lockTries = 20
  private static let lockPauseMilliseconds: Int32 = 10

  /// Keeps a further call for help that the server may not have. False if that fails.
  ///
  /// - Parameter message: the alert, with that call as its newest.
  package func noteCall(of message: EmergencyMessage) -> Bool {
    guard let press = message.furtherCalls.last else { return false }
    return places.contains { (try? Spool.write(press, home: $0.calls)) != nil }
  }

  /// Keeps that the server has these calls since that time, by its clock, as this alert and further calls in it. False if that fails: then
  /// they count as not sent.
  package func noteReceived(_ calls: [AlertID], in alert: AlertID, at time: Timestamp) -> Bool {
    calls.map { call in
      places.contains { place in
        Self.write(alert.description, to: call, in: place.receivedIn)
          && Self.write(time.description, to: call, in: place.received)
      }
    }.allSatisfy { $0 }
  }

  private static func write(_ text: String, to call: AlertID, in folder: String) -> Bool {
    (try? FileSystem.makeFolder(folder)) != nil
      && (try? PlainFile.write(Array(text.utf8), to: "\(folder)/\(call)", on: nil)) != nil
  }

  /// The calls in the spool or in memory that the server has.
  package var receivedCalls: Set<AlertID> { Set(contents.received.map(\.call)) }

  /// Keeps an end, replacing an earlier copy of it. False if that fails.
  package func note(_ end: UnsavedEnd) -> Bool { places.contains { (try? end.write(to: $0.ends)) != nil } }

  var contents: Contents {
    places.reduce(into: Contents()) {
      $0.raised += (try? Spool.read($1.raised))?.alerts ?? []
      $0.calls += (try? Spool.read($1.calls))?.alerts ?? []
      $0.ends += UnsavedEnd.read(in: $1.ends)
      $0.received += Self.received(in: $1)
    }
  }

  private static func received(in place: Place) -> [Received] {
    let paths = { (call: AlertID) in ["\(place.received)/\(call)", "\(place.receivedIn)/\(call)"] }
    return ((try? FileSystem.names(in: place.received)) ?? []).compactMap { name in
      guard let call = AlertID(name), let time = text(of: paths(call)[0]).flatMap({ Timestamp($0) }) else { return nil }
      return Received(
        call: call, at: time, alert: text(of: paths(call)[1]).flatMap { AlertID($0) }, paths: paths(call))
    }
  }

  private static func text(of path: String) -> String? {
    guard let bytes = try? PlainFile.read(path, maximumBytes: Spool.maximumFileBytes) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// False if a further call was ended, or imported into the store, since it was noted.
  package func isWaiting(_ call: AlertID) -> Bool {
    let contents = contents
    return contents.calls.contains { $0.raised.id == call } && contents.ends.map(\.end).end(of: call) == nil
  }

  /// Removes a call for help: the server has its end, or has it in another alert.
  package func forget(_ id: AlertID) {
    for place in places {
      for spool in [place.raised, place.calls] { Spool.forget(id, home: spool) }
      for folder in [place.received, place.receivedIn] { unlink("\(folder)/\(id)") }
      place.removeIfEmpty()
    }
  }

  /// Removes an invalid end: the server rejected it, or nothing is left that it ends.
  package func forget(_ end: UnsavedEnd) {
    for place in places {
      unlink(UnsavedEnd.path(of: end.alertID, in: place.ends))
      place.removeIfEmpty()
    }
  }

  /// Removes everything of the account from memory.
  func removeAll() {
    for place in places {
      for folder in [place.raised.spoolPath, place.calls.spoolPath, place.ends, place.received, place.receivedIn] {
        for name in (try? FileSystem.names(in: folder)) ?? [] { unlink("\(folder)/\(name)") }
      }
      place.removeIfEmpty()
    }
  }

  private static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
      && status.st_mode & 0o077 == 0
  }
}
