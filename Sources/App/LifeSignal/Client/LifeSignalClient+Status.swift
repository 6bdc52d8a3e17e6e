public import AppModel
import DeviceCore
import LocalStore

extension LifeSignalClient {
  /// The status of this device at one moment.
  ///
  /// If the store cannot be read, gives the alert that was saved in a file of its own, with a `storeProblem`. Without such an alert it
  /// throws, because an alert may be active all the same.
  nonisolated(nonsending) public func status() async throws(LifeSignalError) -> Status {
    try await run(on: storeQueue) { [self] in
      Result { () throws(LocalStoreError) in try readStatus() }.mapError { LifeSignalError($0) }
    }
  }

  /// The status now, and again whenever any process has changed the store. A slow reader misses values in between, never the newest.
  /// Ends when the task that reads it is cancelled.
  ///
  /// Ends by itself if the store cannot be read, after the status with a `storeProblem` if there is one, or if the system cannot watch
  /// its folder. The last status may then be out of date: start again after a pause.
  public func statuses() -> AsyncStream<Status> {
    observe { [self] () throws(LocalStoreError) in Reading(try readStatus()) }
  }

  /// At most `limit` alerts (1…1,000): active ones first, then the newest first. If the store cannot be read, gives those that were saved in
  /// files of their own, and throws if there are none.
  nonisolated(nonsending) public func history(limit: Int = 50) async throws(LifeSignalError) -> [Alert] {
    guard (1...1000).contains(limit) else { throw LifeSignalError(.invalid, ClientTexts.historyLimit) }
    return try await run(on: storeQueue) { [self] in
      Result { () throws(LocalStoreError) in
        let page = try readHistory(limit: limit)
        let userId = page.accountID?.description ?? ""
        return page.entries.map { Alert($0, userId: userId) }
      }.mapError { LifeSignalError($0) }
    }
  }

  /// On `storeQueue`.
  func readStatus() throws(LocalStoreError) -> Status {
    do throws(LocalStoreError) {
      let store = try store()
      let revision = try store.revision()
      var status = Status(try store.status())
      status.readiness = try store.readiness()
      if !status.isActive { status.unreadableAlert = store.unknownOutside() }
      status.revision = revision.map { SnapshotRevision(alerts: $0.alerts, contacts: $0.contacts) }
      return status
    } catch {
      guard let status = AlertStatus.ofSpool(home, because: error, at: DeviceClock.now()) else { throw error }
      return Status(status, storeProblem: LifeSignalError(error).message)
    }
  }

  /// On `storeQueue`. If the store cannot be read, the account is unknown.
  private func readHistory(limit: Int) throws(LocalStoreError) -> HistoryPage {
    do throws(LocalStoreError) {
      return try store().history(limit: limit, before: nil)
    } catch {
      let entries = HistoryEntry.ofSpool(home)
      guard !entries.isEmpty else { throw error }
      return HistoryPage(entries: Array(entries.prefix(limit)))
    }
  }
}

extension Reading {
  /// A store that cannot be read cannot be followed.
  init(_ status: AlertSnapshot) where Value == AlertSnapshot {
    self.init(value: status, isLast: status.storeProblem != nil)
  }
}

extension LocalStore {
  /// The account's id as text; empty if nobody is signed in, or if that cannot be read.
  var userID: String { (try? session())?.accountID.description ?? "" }
}
