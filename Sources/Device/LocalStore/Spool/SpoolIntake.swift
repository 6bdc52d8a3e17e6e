package import Model
import PlantedBugs
import SQLiteKit
package import SystemKit

// Importing the spool into the store.
extension LocalStore {
  /// Imports the alerts of the spool and those in memory, each once, and removes their files after the commit. `report` says what went
  /// wrong: the store itself can be used.
  ///
  /// Opening the store does it, raising and ending alerts do, and so does a process that keeps the store open. Usually there is no spool,
  /// which costs one system call. False if it failed, and alerts may still wait there.
  ///
  /// - Parameter lockWaitMilliseconds: the timeout for the store's lock.
  @discardableResult
  package func takeInSpool(at moment: Moment, lockWaitMilliseconds: Int) -> Bool {
    takeInSpool(at: moment, until: options.deadline(inMilliseconds: lockWaitMilliseconds))
  }

  /// - Parameter deadline: for the store's lock; nil: the one for raising an alert.
  @discardableResult
  package func takeInSpool(at moment: Moment, until deadline: Deadline? = nil) -> Bool {
    (try? takeInWholeSpool(at: moment, until: deadline)) != nil
  }

  /// The same; throws if it failed.
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

  /// The account's alerts in memory. Empty if the store cannot be read: nothing waits for the store here.
  private var contentsInMemory: VolatileAlerts.Contents {
    guard VolatileAlerts.mayBe(in: options.memoryFolders) else { return VolatileAlerts.Contents() }
    return ((try? file.read { try $0.volatileAlerts(home, options) }) ?? nil)?.contents ?? VolatileAlerts.Contents()
  }

  /// Everything that may wait to be imported.
  func waitingAlerts() -> WaitingAlerts { WaitingAlerts(home, contentsInMemory) }

  /// Imports what waits, and throws if an alert that can be read stays outside all the same: ending the active alerts would miss it, and it
  /// would be active again. Gives the error if it is unknown whether one stays.
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

  /// Imports the ends in memory, and throws if one that the server may lack stays there all the same.
  package func takeInEnds(at moment: Moment) throws(LocalStoreError) {
    guard !waitingAlerts().isEmpty else { return }
    let deadline = Deadline(millisecondsFromNow: options.lockTimeoutMilliseconds)
    if let obstacle = try takeInWhatIsToEnd(at: moment, until: deadline) { throw obstacle }
  }

  /// Imports the spool, and throws `alertActive` with the reason if something stays in it all the same: an alert in the spool names no
  /// account, and would go to the one that signs in next.
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

  /// Imports presses in the order in which they were made: the first one is raised if no alert is active, and the others update it. Real
  /// ones come before drills, which real ones do not update. Those in memory come last, each as the alert of its own that the server may
  /// have.
  ///
  /// The presses that an end in memory covers come before the end, and the rest after it: those are new calls for help.
  ///
  /// Returns when all are durable, including those that another process had imported before: each write is synced.
  ///
  /// A file that is gone was imported by another process since it was read, and its alert may have been removed with its account.
  func takeIn(
    _ alerts: [(raised: RaisedAlert, path: String)],
    _ inMemory: VolatileAlerts.Contents = VolatileAlerts.Contents(), at moment: Moment, until deadline: Deadline
  ) throws(LocalStoreError) {
    let ends = inMemory.ends.map(\.end)
    let identifiers = identifiers(at: moment)
    let waiting = WaitingCalls(
      spooled: alerts, raised: inMemory.raised, further: inMemory.calls,
      received: Dictionary(inMemory.received.map { ($0.call, $0) }) { first, _ in first })
    let (taken, isAnyEnded) = try file.write(until: deadline) { transaction in
      // Nothing is sent of an alert that has ended for the server: under other ids it would be a new call for help.
      var taken = try transaction.importCalls(
        waiting.filter { ends.end(of: $0)?.isReceived == false }, at: moment, options)
      let ended = try ends.filter { try transaction.importEnd($0, at: moment, identifiers) }
      taken += try transaction.importCalls(waiting.filter { ends.end(of: $0) == nil }, at: moment, options)
      return (taken, !ended.isEmpty)
    }
    file.note { $0.spooledAlerts += taken }
    // A worker that notified itself of files that it cannot remove would wake itself forever.
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

/// Calls for help outside the store, with the paths of their files.
private struct WaitingCalls {
  typealias File = (raised: RaisedAlert, path: String)
  var spooled: [File]
  /// In memory, as alerts of their own.
  var raised: [File]
  /// In memory, in an alert that was active.
  var further: [File]
  /// Those that the server has.
  var received: [AlertID: VolatileAlerts.Received]

  func filter(_ isIncluded: (AlertID) -> Bool) -> WaitingCalls {
    WaitingCalls(
      spooled: spooled.filter { isIncluded($0.raised.id) }, raised: raised.filter { isIncluded($0.raised.id) },
      further: further.filter { isIncluded($0.raised.id) }, received: received)
  }
}

extension StoreTransaction {
  /// Imports the calls that are not in the store yet, and gives their ids.
  fileprivate func importCalls(_ calls: WaitingCalls, at moment: Moment, _ options: StoreOptions) throws -> [AlertID] {
    let isNew = { (file: WaitingCalls.File) in
      try !self.hasPress(file.raised.id) && FileSystem.status(file.path) != nil
    }
    var imported: [AlertID] = []
    for file in RaisedAlert.inOrder(calls.spooled, \.raised) where try isNew(file) {
      try importCall(file.raised, calls.received[file.raised.id], at: moment, options)
      imported.append(file.raised.id)
    }
    for file in calls.raised where try isNew(file) {
      try insert(file.raised, at: moment)
      imported.append(file.raised.id)
    }
    for file in RaisedAlert.inOrder(calls.further, \.raised) where try isNew(file) {
      try importCall(file.raised, calls.received[file.raised.id], at: moment, options)
      imported.append(file.raised.id)
    }
    return imported
  }

  private func importCall(
    _ raised: RaisedAlert, _ received: VolatileAlerts.Received?, at moment: Moment, _ options: StoreOptions
  ) throws {
    if PlantedBug.spooledPressesApart.isPlanted { return try insert(raised, at: moment) }
    // Sent again in another way, what the server has would be a new call for help there, perhaps after the alert's end.
    if let received, let alert = received.alert {
      if alert == raised.id { return try insert(raised, at: moment) }
      return try noteReceived(raised, in: alert, at: received.at)
    }
    _ = try activate(raised, at: moment, random: options.random, mayHaveBeenSent: true)
  }
}

extension StoreReading {
  /// The folders in memory for this account's alerts; nil if nobody is signed in, or if there are none.
  func volatileAlerts(_ home: HomeDirectory, _ options: StoreOptions) throws -> VolatileAlerts? {
    guard let device = try value(of: .deviceID).flatMap({ DeviceID($0) }),
      let account = try value(of: .accountID).flatMap({ AccountID($0) })
    else { return nil }
    return VolatileAlerts(home, device: device, account: account, folders: options.memoryFolders)
  }

  /// Throws `alertActive` while something in memory is not in the store.
  func requireNothingInMemory(_ home: HomeDirectory, _ options: StoreOptions) throws {
    guard let contents = try volatileAlerts(home, options)?.contents else { return }
    guard try hasAll(of: WaitingAlerts(home, contents)) else {
      throw LocalStoreError(.alertActive, "an alert that was sent from memory is not saved yet")
    }
  }

  /// Whether everything that waits outside, and is not over, is in the store.
  func hasAll(of waiting: WaitingAlerts) throws -> Bool {
    for alert in waiting.alerts where try !hasPress(alert.id) { return false }
    for end in waiting.ends where !end.isReceived {
      for id in Set(end.calls + [end.alertID]) where try isActive(id) { return false }
    }
    return true
  }

  private func isActive(_ id: AlertID) throws -> Bool {
    try hasRow("SELECT 1 FROM alerts WHERE id = ? AND ended_at IS NULL AND discarded_at IS NULL", SQLiteValue(id))
  }
}

extension RaisedAlert {
  /// Real alerts before drills, each in the order in which they were raised.
  ///
  /// Within one boot the monotonic clock gives that order, since the wall clock may have been set back. Boots are ordered by the wall clock
  /// of their first alert.
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
