public import AppModel
import DeviceCore
import LocalStore

extension LifeSignalClient {
  /// How things stand on this device, as of one moment.
  ///
  /// Where the store cannot be read, an alert that was saved in a file of its own is told all the same, with a `storeProblem`; where
  /// there is none the error is thrown, for then nobody knows whether an alert is active.
  public func status() async throws(LifeSignalError) -> Status {
    try await run(on: storeQueue) { [self] in
      Result { () throws(LocalStoreError) in try readStatus() }.mapError { LifeSignalError($0) }
    }
  }

  /// The status now, and again whenever this or another process, the worker among them, changed the store. Values that a
  /// slow reader did not take are left out; the newest is always told. Ends when the task that reads it is cancelled.
  ///
  /// It ends by itself where the store cannot be read, after the status with a `storeProblem` if there is one, or where the system
  /// lets nobody watch its folder: what was told last may be out of date then. Begin again after a pause.
  public func statuses() -> AsyncStream<Status> {
    observe { [self] () throws(LocalStoreError) in Reading(try readStatus()) }
  }

  /// The newest `limit` alerts (1…1,000), newest first. Where the store cannot be read, those that were saved in files of their
  /// own, and where there are none the error is thrown.
  public func history(limit: Int = 50) async throws(LifeSignalError) -> [Alert] {
    guard (1...1000).contains(limit) else { throw LifeSignalError(.invalid, "a limit is from 1 to 1000") }
    return try await run(on: storeQueue) { [self] in
      Result { () throws(LocalStoreError) in
        let entries = try readHistory(limit: limit)
        // Where the store cannot be read, nobody knows whose they are.
        let userId = (try? store())?.userID ?? ""
        return entries.map { Alert($0, userId: userId) }
      }.mapError { LifeSignalError($0) }
    }
  }

  /// On `storeQueue`.
  func readStatus() throws(LocalStoreError) -> Status {
    do throws(LocalStoreError) {
      let store = try store()
      let revision = try store.revision()
      var status = Status(try store.status())
      status.revision = revision.map { SnapshotRevision(alerts: $0.alerts, contacts: $0.contacts) }
      return status
    } catch {
      guard let status = AlertStatus.ofSpool(home, because: error, at: DeviceClock.now()) else { throw error }
      return Status(status, storeProblem: LifeSignalError(error).message)
    }
  }

  /// On `storeQueue`.
  func readHistory(limit: Int) throws(LocalStoreError) -> [HistoryEntry] {
    do throws(LocalStoreError) {
      return try store().history(limit: limit, before: nil).entries
    } catch {
      let entries = HistoryEntry.ofSpool(home)
      guard !entries.isEmpty else { throw error }
      return Array(entries.prefix(limit))
    }
  }
}

extension Reading {
  /// Of a store that cannot be read there is nothing to follow.
  init(_ status: AlertSnapshot) where Value == AlertSnapshot {
    self.init(value: status, isLast: status.storeProblem != nil)
  }
}

extension LocalStore {
  /// The account's id as text; empty where nobody is signed in, or nobody knows.
  var userID: String { (try? session())?.accountID.description ?? "" }
}
