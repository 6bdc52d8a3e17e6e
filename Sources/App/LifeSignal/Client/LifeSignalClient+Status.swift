import DeviceCore
import LocalStore

extension LifeSignalClient {
  /// How things stand on this device, as of one moment.
  ///
  /// Where the store cannot be read, an alert that was saved in a file of its own is told all the same, with `storeError`; where
  /// there is none the error is thrown, for then nobody knows whether an alert is active.
  public func status() async throws(LifeSignalError) -> DeviceStatus {
    try await run(on: storeQueue) { [self] in
      Result { () throws(LocalStoreError) in try readStatus() }.mapError { LifeSignalError($0) }
    }
  }

  /// The status now, and again whenever this or another process, the worker among them, changed the store. Values that a
  /// slow reader did not take are left out; the newest is always told. Ends when the task that reads it is cancelled.
  ///
  /// It ends by itself where the store cannot be read, after the status with a `storeError` if there is one, or where the system
  /// lets nobody watch its folder: what was told last may be out of date then. Begin again after a pause.
  public func statuses() -> AsyncStream<DeviceStatus> {
    observe { [self] () throws(LocalStoreError) in Reading(try readStatus()) }
  }

  /// The newest `limit` alerts (1…1,000), newest first. Where the store cannot be read, those that were saved in files of their
  /// own, and where there are none the error is thrown.
  public func history(limit: Int = 50) async throws(LifeSignalError) -> [PastAlert] {
    guard (1...1000).contains(limit) else { throw LifeSignalError(.invalid, "a limit is from 1 to 1000") }
    return try await run(on: storeQueue) { [self] in
      Result { () throws(LocalStoreError) in try readHistory(limit: limit).map(PastAlert.init) }
        .mapError { LifeSignalError($0) }
    }
  }

  /// On `storeQueue`.
  func readStatus() throws(LocalStoreError) -> DeviceStatus {
    do throws(LocalStoreError) {
      return DeviceStatus(try store().status(), storeError: nil)
    } catch {
      guard let status = StoreStatus.ofSpool(home, because: error, at: DeviceClock.now()) else { throw error }
      return DeviceStatus(status, storeError: LifeSignalError(error))
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
  init(_ status: DeviceStatus) where Value == DeviceStatus {
    self.init(value: status, isLast: status.storeError != nil)
  }
}
