package import Model
import PlantedBugs
import SQLiteKit
package import SystemKit

// How what lies in the spool comes into the store.
extension LocalStore {
  /// Takes the spool's alerts into the store, and those that were raised in memory, each once, and removes their files when that has
  /// committed. What goes wrong is told in `report`: the store itself can be used.
  ///
  /// Opening does it, raising and ending alerts do, and so does whoever has the store open for long. The usual spool is not
  /// there, and costs one look. False where it failed, and alerts may wait there still.
  ///
  /// - Parameter lockWaitMilliseconds: the longest wait for the store's lock.
  @discardableResult
  package func takeInSpool(at moment: Moment, lockWaitMilliseconds: Int) -> Bool {
    takeInSpool(at: moment, until: options.deadline(inMilliseconds: lockWaitMilliseconds))
  }

  /// - Parameter deadline: for the store's lock; nil: as for raising an alert.
  @discardableResult
  package func takeInSpool(at moment: Moment, until deadline: Deadline? = nil) -> Bool {
    (try? takeInWholeSpool(at: moment, until: deadline)) != nil
  }

  /// As `takeInSpool`; throws where it failed.
  private func takeInWholeSpool(at moment: Moment, until deadline: Deadline?) throws(LocalStoreError) {
    do throws(LocalStoreError) {
      let (alerts, unreadable) = try Spool.read(home)
      file.note {
        $0.unreadableSpoolFiles = unreadable
        $0.spoolError = nil
        $0.spoolRemovalError = nil
      }
      let inMemory = contentsInMemory
      guard !alerts.isEmpty || !inMemory.isEmpty else { return }
      try takeIn(alerts, inMemory, at: moment, until: deadline ?? options.activationDeadline)
      removeTakenIn(alerts.map(\.path) + inMemory.paths)
    } catch {
      file.note { $0.spoolError = error.message }
      throw error
    }
  }

  /// What of the account lies in memory. It fails as if there were nothing: nobody waits for a store for it.
  private var contentsInMemory: VolatileAlerts.Contents {
    guard VolatileAlerts.mayBe(in: options.memoryFolders) else { return VolatileAlerts.Contents() }
    return ((try? file.read { try $0.volatileAlerts(home, options) }) ?? nil)?.contents ?? VolatileAlerts.Contents()
  }

  /// What may wait to be taken in.
  func waitingAlerts() -> WaitingAlerts { WaitingAlerts(home, contentsInMemory) }

  /// Takes in what waits, and throws where an alert that can be read stays outside all the same: what ends alerts would pass it
  /// over, and it would be active again. Gives the error where it is not known whether one stays.
  func takeInWhatIsToEnd(at moment: Moment, until deadline: Deadline) throws(LocalStoreError) -> LocalStoreError? {
    do throws(LocalStoreError) {
      try takeInWholeSpool(at: moment, until: deadline)
      return nil
    } catch {
      let waiting = waitingAlerts()
      guard !waiting.isEmpty else { return error }
      guard try file.read({ try $0.hasAll(of: waiting) }) else { throw error }
      return nil
    }
  }

  /// Takes in the ends that lie in memory, and throws where one that the server may not have stays there all the same.
  package func takeInEnds(at moment: Moment) throws(LocalStoreError) {
    guard !waitingAlerts().isEmpty else { return }
    let deadline = Deadline(millisecondsFromNow: options.lockTimeoutMilliseconds)
    if let obstacle = try takeInWhatIsToEnd(at: moment, until: deadline) { throw obstacle }
  }

  /// Takes in what is in the spool, and throws `alertActive` where something stays in it all the same, with the reason: an
  /// alert in the spool does not say whose it is, and would be that of whoever signs in next.
  package func emptySpool(at moment: Moment) throws(LocalStoreError) {
    takeInSpool(at: moment)
    do throws(LocalStoreError) {
      try Spool.requireEmpty(home)
      try file.read { try $0.requireNothingInMemory(home, options) }
    } catch {
      guard let obstacle = report.spoolObstacle else { throw error }
      throw LocalStoreError(error.code, obstacle)
    }
  }

  /// They meet the store in the order in which they were pressed, as if each had come to it at once: the first is raised where no
  /// alert is active, and the others update it. Real ones come before drills, which could not stand in for them. Those that were
  /// raised in memory come last, each as the alert of its own that the server may have.
  ///
  /// What an end in memory ends comes before the end, and the rest after it: that is a new call for help.
  ///
  /// Returns when all are durable, those too that another process had put into the store before: each write is synced.
  ///
  /// A file that is gone was taken in by another process since it was read, and its alert may have gone with its account.
  func takeIn(
    _ alerts: [(raised: RaisedAlert, path: String)],
    _ inMemory: VolatileAlerts.Contents = VolatileAlerts.Contents(), at moment: Moment, until deadline: Deadline
  ) throws(LocalStoreError) {
    let ends = inMemory.ends.map(\.end)
    let identifiers = identifiers(at: moment)
    let waiting = WaitingCalls(spooled: alerts, raised: inMemory.raised, further: inMemory.calls)
    let (taken, isAnyEnded) = try file.write(until: deadline) { connection in
      // Of what the server has ended nothing is sent: it would be a new call for help, under other ids.
      var taken = try connection.take(waiting.filter { ends.end(of: $0)?.isReceived == false }, at: moment, options)
      let ended = try ends.filter { try connection.take($0, at: moment, identifiers) }
      taken += try connection.take(waiting.filter { ends.end(of: $0) == nil }, at: moment, options)
      return (taken, !ended.isEmpty)
    }
    file.note { $0.spooledAlerts += taken }
    // A worker that told itself of files which it cannot remove would never come to rest.
    if !taken.isEmpty || isAnyEnded { home.poke() }
  }

  private func removeTakenIn(_ paths: [String]) {
    for path in paths {
      do throws(LocalStoreError) {
        try FileSystem.remove(path, on: home.disk)
      } catch {
        file.note { $0.spoolRemovalError = error.message }
      }
    }
  }
}

/// Calls for help that lie outside the store, with the paths of their files.
private struct WaitingCalls {
  typealias File = (raised: RaisedAlert, path: String)
  var spooled: [File]
  /// In memory, as alerts of their own.
  var raised: [File]
  /// In memory, in an alert that was active.
  var further: [File]

  func filter(_ isIncluded: (AlertID) -> Bool) -> WaitingCalls {
    WaitingCalls(
      spooled: spooled.filter { isIncluded($0.raised.id) }, raised: raised.filter { isIncluded($0.raised.id) },
      further: further.filter { isIncluded($0.raised.id) })
  }
}

extension Connection {
  /// Gives the calls that were not in the store yet.
  fileprivate func take(_ calls: WaitingCalls, at moment: Moment, _ options: StoreOptions) throws -> [AlertID] {
    let isNew = { (file: WaitingCalls.File) in
      try !self.hasPress(file.raised.id) && FileSystem.status(file.path) != nil
    }
    var taken: [AlertID] = []
    for file in RaisedAlert.inOrder(calls.spooled, \.raised) where try isNew(file) {
      try takeSpooled(file.raised, at: moment, options)
      taken.append(file.raised.id)
    }
    for file in calls.raised where try isNew(file) {
      try insert(file.raised, at: moment)
      taken.append(file.raised.id)
    }
    for file in RaisedAlert.inOrder(calls.further, \.raised) where try isNew(file) {
      try takeSpooled(file.raised, at: moment, options)
      taken.append(file.raised.id)
    }
    return taken
  }

  private func takeSpooled(_ raised: RaisedAlert, at moment: Moment, _ options: StoreOptions) throws {
    if PlantedBug.spooledPressesApart.isPlanted { return try insert(raised, at: moment) }
    _ = try take(raised, at: moment, random: options.random, mayHaveBeenSent: true)
  }

  /// Where this account's alerts may lie in memory; nil where nobody is signed in, or there is no such folder.
  func volatileAlerts(_ home: HomeDirectory, _ options: StoreOptions) throws -> VolatileAlerts? {
    guard let device = try value(of: .deviceID).flatMap({ DeviceID($0) }),
      let account = try value(of: .accountID).flatMap({ AccountID($0) })
    else { return nil }
    return VolatileAlerts(home, device: device, account: account, folders: options.memoryFolders)
  }

  /// Throws `alertActive` while something that lies in memory is not in the store.
  func requireNothingInMemory(_ home: HomeDirectory, _ options: StoreOptions) throws {
    guard let contents = try volatileAlerts(home, options)?.contents else { return }
    guard try hasAll(of: WaitingAlerts(home, contents)) else {
      throw LocalStoreError(.alertActive, "an alert that was sent from memory is not in the store yet")
    }
  }

  /// Whether what waits outside, and is not over, is in the store.
  func hasAll(of waiting: WaitingAlerts) throws -> Bool {
    for alert in waiting.alerts where try !hasPress(alert.id) { return false }
    for end in waiting.ends where !end.isReceived {
      for id in Set(end.calls + [end.alertID]) where try isActive(id) { return false }
    }
    return true
  }

  private func isActive(_ id: AlertID) throws -> Bool {
    try statement("SELECT 1 FROM alerts WHERE id = ? AND ended_at IS NULL AND discarded_at IS NULL")
      .first(SQLiteValue(id)) { _ in true } ?? false
  }
}

extension RaisedAlert {
  /// Real alerts before drills, and each in the order in which they were raised.
  ///
  /// Within one boot the monotonic clock tells that order, since the wall clock may have been set back between two of them.
  /// Of several boots that one comes first whose first alert is the older one by the wall clock.
  static func inOrder<Item>(_ items: [Item], _ raised: (Item) -> RaisedAlert) -> [Item] {
    let boots = Dictionary(grouping: items) { raised($0).boot }.values
      .map { $0.sorted { raised($0).isBeforeInBoot(raised($1)) } }
      .sorted { raised($0[0]).isBeforeByWallClock(raised($1[0])) }
    let all = boots.flatMap { $0 }
    return all.filter { !raised($0).activation.isDrill } + all.filter { raised($0).activation.isDrill }
  }

  private func isBeforeInBoot(_ other: RaisedAlert) -> Bool {
    guard boot != nil, startedMonotonicMilliseconds != other.startedMonotonicMilliseconds else {
      return isBeforeByWallClock(other)
    }
    return startedMonotonicMilliseconds < other.startedMonotonicMilliseconds
  }

  private func isBeforeByWallClock(_ other: RaisedAlert) -> Bool {
    (activation.startedAt, id.description) < (other.activation.startedAt, other.id.description)
  }
}
