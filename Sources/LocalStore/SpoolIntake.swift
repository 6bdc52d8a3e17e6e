package import Model
import PlantedBugs
import SQLiteKit

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
      let inMemory = filesInMemory
      guard !alerts.isEmpty || !inMemory.isEmpty else { return }
      try takeIn(alerts, inMemory, at: moment, until: deadline ?? options.activationDeadline)
      removeTakenIn((alerts + inMemory).map(\.path))
    } catch {
      file.note { $0.spoolError = error.message }
      throw error
    }
  }

  /// Alerts of the account that were raised in memory. It fails as if there were none: nobody waits for a store for them.
  private var filesInMemory: [(raised: RaisedAlert, path: String)] {
    guard VolatileAlerts.mayBe(in: options.memoryFolders) else { return [] }
    return ((try? file.read { try $0.volatileAlerts(home, options) }) ?? nil)?.files ?? []
  }

  /// The alerts that may wait to be taken in, a real one before a drill, then the one that was raised first; `inMemory` are those of
  /// them that would be gone when the machine is switched off.
  func waitingAlerts() -> (alerts: [Alert], inMemory: Set<AlertID>) {
    let inMemory = filesInMemory.map(\.raised.alert)
    return (Spool.inOrder(Spool.alerts(home) + inMemory), Set(inMemory.map(\.id)))
  }

  /// Takes in what waits, and throws where an alert that can be read stays outside all the same: what ends alerts would pass it
  /// over, and it would be active again. Gives the error where it is not known whether one stays.
  func takeInWhatIsToEnd(at moment: Moment, until deadline: Deadline) throws(LocalStoreError) -> LocalStoreError? {
    do throws(LocalStoreError) {
      try takeInWholeSpool(at: moment, until: deadline)
      return nil
    } catch {
      let waiting = waitingAlerts().alerts
      guard !waiting.isEmpty else { return error }
      let areTakenIn = try file.read { store in try waiting.allSatisfy { try store.hasPress($0.id) } }
      guard areTakenIn else { throw error }
      return nil
    }
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
  /// Returns when all are durable, those too that another process had put into the store before: each write is synced.
  ///
  /// A file that is gone was taken in by another process since it was read, and its alert may have gone with its account.
  func takeIn(
    _ alerts: [(raised: RaisedAlert, path: String)], _ inMemory: [(raised: RaisedAlert, path: String)] = [],
    at moment: Moment, until deadline: Deadline
  ) throws(LocalStoreError) {
    let taken = try file.write(until: deadline) { connection in
      let isNew = { (raised: RaisedAlert, path: String) in
        try !connection.hasPress(raised.id) && FileSystem.status(path) != nil
      }
      var taken: [AlertID] = []
      for (raised, path) in RaisedAlert.inOrder(alerts, \.raised) where try isNew(raised, path) {
        if PlantedBug.spooledPressesApart.isPlanted {
          try connection.insert(raised, at: moment)
        } else {
          _ = try connection.take(raised, at: moment, random: options.random, mayHaveBeenSent: true)
        }
        taken.append(raised.id)
      }
      for (raised, path) in inMemory where try isNew(raised, path) {
        try connection.insert(raised, at: moment)
        taken.append(raised.id)
      }
      return taken
    }
    file.note { $0.spooledAlerts += taken }
    // A worker that told itself of files which it cannot remove would never come to rest.
    if !taken.isEmpty { home.poke() }
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

extension Connection {
  /// Where this account's alerts may lie in memory; nil where nobody is signed in, or there is no such folder.
  func volatileAlerts(_ home: HomeDirectory, _ options: StoreOptions) throws -> VolatileAlerts? {
    guard let device = try value(of: .deviceID).flatMap({ DeviceID($0) }),
      let account = try value(of: .accountID).flatMap({ AccountID($0) })
    else { return nil }
    return VolatileAlerts(home, device: device, account: account, folders: options.memoryFolders)
  }

  /// Throws `alertActive` while an alert that was raised in memory is not in the store.
  func requireNothingInMemory(_ home: HomeDirectory, _ options: StoreOptions) throws {
    let files = try volatileAlerts(home, options)?.files ?? []
    guard try files.allSatisfy({ try hasPress($0.raised.id) }) else {
      throw LocalStoreError(.alertActive, "an alert that was sent from memory is active, and not in the store yet")
    }
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
