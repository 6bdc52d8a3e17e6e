package import Model
import SQLiteKit
import Wire

/// The last resort when the store cannot be opened or written: one plain file per alert, which is taken in
/// when the store is opened or used next.
package enum Spool {
  /// Raises the alert in the spool. Returns when it is durable.
  ///
  /// Where there is no room for it, one that waits there already, and that it would repeat, stands for it.
  package static func activate(
    _ draft: AlertDraft, home: HomeDirectory, random: @escaping @Sendable () -> (UInt64, UInt64), at moment: Moment
  ) throws(LocalStoreError) -> Activation {
    try activate(RaisedAlert(draft, at: moment, random: random), home: home)
  }

  /// - Parameter isTakenIn: whether the store has the alert, so that its file is only left over.
  static func activate(
    _ raised: RaisedAlert, home: HomeDirectory, isTakenIn: (AlertID) -> Bool = { _ in false }
  ) throws(LocalStoreError) -> Activation {
    do throws(LocalStoreError) {
      try write(raised, home: home)
      return Activation(alert: raised.alert, alreadyActive: false, isSpooled: true)
    } catch {
      guard let alert = standing(for: raised.alert, home: home, isTakenIn) else { throw error }
      return Activation(alert: alert, alreadyActive: true, isSpooled: true)
    }
  }

  /// The alert that waits and that raising this one would repeat, made certain to stay.
  private static func standing(for alert: Alert, home: HomeDirectory, _ isTakenIn: (AlertID) -> Bool) -> Alert? {
    let waiting = alerts(home).first { (alert.isDrill || !$0.isDrill) && !isTakenIn($0.id) }
    // What a file holds was synced before it had its name; whoever gave it that may have been killed before the folder was.
    return (try? FileSystem.syncFolder(home.spoolPath)) == nil ? nil : waiting
  }

  /// Writes the alert and syncs the file and its folder. Returns when it is durable; the folder may lie on any filesystem.
  package static func write(
    _ draft: AlertDraft, home: HomeDirectory, random: @escaping @Sendable () -> (UInt64, UInt64), at moment: Moment
  ) throws(LocalStoreError) -> Alert {
    let raised = RaisedAlert(draft, at: moment, random: random)
    try write(raised, home: home)
    return raised.alert
  }

  /// On a full disk the room goes to it that was kept for it.
  static func write(_ raised: RaisedAlert, home: HomeDirectory) throws(LocalStoreError) {
    do throws(LocalStoreError) {
      try writeFile(raised, home: home)
    } catch {
      guard error.code == .diskFull, SpaceReserve.release(in: home) else { throw error }
      try writeFile(raised, home: home)
    }
    home.poke()
  }

  private static func writeFile(_ raised: RaisedAlert, home: HomeDirectory) throws(LocalStoreError) {
    try FileSystem.makeFolder(home.spoolPath)
    try PlainFile.write(json(of: raised), to: "\(home.spoolPath)/\(raised.id).json")
  }

  private static func json(of raised: RaisedAlert) -> [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.member("id", raised.id.description)
      $0.member("mutation_id", raised.mutationID.description)
      $0.member("notification_id", raised.notificationID.description)
      $0.member("started_monotonic", raised.startedMonotonicMilliseconds)
      $0.key("body")
      MutationBody.write(raised.mutation.change, to: &$0)
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// The alerts that wait to be taken in, a real one before a drill, then the one that was raised first. Empty where the
  /// folder cannot be read: taking it in tells of that.
  package static func alerts(_ home: HomeDirectory) -> [Alert] {
    guard let (raised, _) = try? read(home) else { return [] }
    return raised.map(\.0.alert).sorted { ($0.isDrill ? 1 : 0, $0.startedAt) < ($1.isDrill ? 1 : 0, $1.startedAt) }
  }

  /// Throws `alertActive` while a file lies in the spool: an alert that was not taken in, or one whose file could not be
  /// removed. It does not say whose it is, and would be taken for that of whoever signs in next. When this returns, those that
  /// were there are gone for good: no power cut brings them back.
  static func requireEmpty(_ home: HomeDirectory) throws(LocalStoreError) {
    if let name = try fileNames(home).first {
      throw LocalStoreError(
        .alertActive,
        "the alert in \(home.spoolPath)/\(name) would become that of whoever signs in next: "
          + "let the file be read and removed, or move it away, and try again")
    }
    if FileSystem.exists(home.spoolPath) { try FileSystem.syncFolder(home.spoolPath) }
  }

  private static func fileNames(_ home: HomeDirectory) throws(LocalStoreError) -> [String] {
    try FileSystem.names(in: home.spoolPath).filter { $0.hasSuffix(".json") }
  }

  static let maximumFileBytes = 65_536

  /// The whole alerts in the folder, by name, and how many files could not be read.
  static func read(_ home: HomeDirectory) throws(LocalStoreError) -> (alerts: [(RaisedAlert, path: String)], Int) {
    var alerts: [(RaisedAlert, path: String)] = []
    var unreadable = 0
    for name in try fileNames(home) {
      let path = "\(home.spoolPath)/\(name)"
      // A file that cannot be read stays, and is told of.
      if let bytes = try? PlainFile.read(path, maximumBytes: maximumFileBytes),
        let raised = try? RaisedAlert(spooled: bytes)
      {
        alerts.append((raised, path))
      } else if FileSystem.exists(path) {
        unreadable += 1
      }
    }
    return (alerts, unreadable)
  }
}

extension RaisedAlert {
  /// Reads a file of the spool.
  fileprivate init(spooled bytes: [UInt8]) throws {
    let json = try JSONDocument(bytes).root
    self.init(
      id: try json.identifier("id"),
      mutationID: try json.identifier("mutation_id"),
      notificationID: try json.identifier("notification_id"),
      activation: try AlertActivation(stored: json.required("body")),
      startedMonotonicMilliseconds: Int64(try json.integer("started_monotonic"))
    )
  }
}

extension LocalStore {
  /// Takes the spool's alerts into the store, each once, and removes their files when that has committed. What goes wrong is
  /// told in `report`: the store itself can be used.
  ///
  /// Opening does it, raising and ending alerts do, and so does whoever has the store open for long. The usual spool is not
  /// there, and costs one look. False where it failed, and alerts may wait there still.
  @discardableResult
  package func takeInSpool(at moment: Moment) -> Bool {
    do throws(LocalStoreError) {
      let (alerts, unreadable) = try Spool.read(home)
      file.note {
        $0.unreadableSpoolFiles = unreadable
        $0.spoolError = nil
        $0.spoolRemovalError = nil
      }
      guard !alerts.isEmpty else { return true }
      try takeIn(alerts.map(\.0), at: moment)
      removeTakenIn(alerts.map(\.path))
      return true
    } catch {
      file.note { $0.spoolError = error.message }
      return false
    }
  }

  /// Returns when all are durable, those too that another process had put into the store before: each write is synced.
  private func takeIn(_ alerts: [RaisedAlert], at moment: Moment) throws(LocalStoreError) {
    let taken = try file.write { connection in
      var taken: [AlertID] = []
      for raised in alerts where try !connection.hasAlert(raised.id) {
        try connection.insert(raised, at: moment)
        taken.append(raised.id)
      }
      return taken
    }
    file.note { $0.spooledAlerts += taken }
    // A worker that told itself of files which it cannot remove would never come to rest.
    if !taken.isEmpty { home.poke() }
  }

  /// Takes in what is in the spool; throws as `Spool.requireEmpty` where something stays in it all the same.
  package func emptySpool(at moment: Moment) throws(LocalStoreError) {
    takeInSpool(at: moment)
    try Spool.requireEmpty(home)
  }

  private func removeTakenIn(_ paths: [String]) {
    for path in paths {
      do throws(LocalStoreError) {
        try FileSystem.remove(path)
      } catch {
        file.note { $0.spoolRemovalError = error.message }
      }
    }
  }
}
