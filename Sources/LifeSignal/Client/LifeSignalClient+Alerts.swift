import Glibc
import LocalStore

extension LifeSignalClient {
  /// Raises an alert and returns when it is durable on this device; sending it is the worker's or `sync()`'s. Where one is
  /// active already, that one is returned.
  ///
  /// - Parameter message: at most `AlertMessage.maximumCharacters`; throws `invalid` where it is longer.
  /// - Throws: `notSaved` where neither the store nor its spool could take it: call for help another way.
  public func activateAlert(
    message: String? = nil, location: Location? = nil, isDrill: Bool = false
  ) async throws(LifeSignalError) -> RaisedAlert {
    let text: String?
    do throws(InvalidInput) {
      text = try AlertMessage.validated(message)
    } catch {
      throw LifeSignalError(.invalid, error.message)
    }
    return try await run(on: storeQueue) { [self] in
      let moment = DeviceClock.now()
      let draft = AlertDraft(
        message: text, location: location, isDrill: isDrill, utcOffsetMinutes: localOffsetMinutes(at: moment.wall))
      do throws(EmergencyActivation.NotSaved) {
        // A store that cannot be opened is tried once more there, and then the spool.
        let outcome = try EmergencyActivation.perform(draft, home: home, store: try? store(), at: moment)
        return .success(RaisedAlert(outcome.activation))
      } catch {
        return .failure(LifeSignalError(error))
      }
    }
  }

  /// Ends every active alert and gives them, ended; empty where none is active.
  public func deactivateAlerts() async throws(LifeSignalError) -> [Alert] {
    try await withStore { store throws(LocalStoreError) in try store.deactivateAlerts(at: DeviceClock.now()) }
  }

  public func status() async throws(LifeSignalError) -> DeviceStatus {
    try await withStore { store throws(LocalStoreError) in DeviceStatus(try store.status()) }
  }

  /// The newest `limit` alerts (1…1,000), newest first.
  public func history(limit: Int = 50) async throws(LifeSignalError) -> [PastAlert] {
    guard (1...1000).contains(limit) else { throw LifeSignalError(.invalid, "a limit is from 1 to 1000") }
    return try await withStore { store throws(LocalStoreError) in
      try store.history(limit: limit, before: nil).entries.map(PastAlert.init)
    }
  }

  /// The status now, and again whenever this or another process, the worker among them, changed the store. Values that a
  /// slow reader did not take are left out; the newest is always told. Ends when the task that reads it is cancelled.
  public func statuses() -> AsyncStream<DeviceStatus> {
    let (stream, continuation) = AsyncStream.makeStream(of: DeviceStatus.self, bufferingPolicy: .bufferingNewest(1))
    storeQueue.async { [self] in
      guard let store = try? store(), let watcher = StoreWatcher(home) else { return continuation.finish() }
      let observation = StatusObservation(store: store, watcher: watcher, queue: storeQueue, continuation: continuation)
      continuation.onTermination = { _ in observation.cancel() }
      observation.start()
    }
    return stream
  }
}

/// Minutes east of UTC here, at `time`.
private func localOffsetMinutes(at time: Timestamp) -> Int {
  var seconds = time_t(time.milliseconds / 1000)
  var local = tm()
  return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff / 60
}
