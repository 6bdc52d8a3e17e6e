public import AppModel
import DeviceCore
import Glibc
import LocalStore
public import Model

extension LifeSignalClient {
  /// Raises an alert and returns when it is durable on this device; sending it is the worker's or `sync()`'s. Where one is
  /// active already, that one is returned, and the message and the location go to its responders as its newest words. Should it
  /// turn out that somebody has ended it on another device, the call becomes an alert of its own.
  ///
  /// - Parameters:
  ///   - message: more than `AlertMessage.maximumCharacters` are cut.
  ///   - location: where the person is, as far as known.
  ///   - isDrill: told to the responders as a drill.
  /// - Throws: `notSaved` where neither the store nor its spool could take it: call for help another way. `sentNotSaved` where
  ///   that is so and the server has the alert all the same, sent from memory; that takes up to twenty seconds.
  public func activateAlert(
    message: String? = nil, location: Location? = nil, isDrill: Bool = false
  ) async throws(LifeSignalError) -> RaisedAlert {
    try await run(on: alertQueue) { [self] in
      Result { () throws(LifeSignalError) in try raise(message, location, isDrill) }
    }
  }

  /// As `activateAlert`, on the calling thread, which waits for the disk: for a thread of one's own, where no task is to be
  /// had or no switch of threads is wanted.
  @available(*, noasync, message: "await activateAlert(message:location:isDrill:)")
  public func activateAlertBlocking(
    message: String? = nil, location: Location? = nil, isDrill: Bool = false
  ) throws(LifeSignalError) -> RaisedAlert {
    try raise(message, location, isDrill)
  }

  private func raise(
    _ message: String?, _ location: Location?, _ isDrill: Bool
  ) throws(LifeSignalError) -> RaisedAlert {
    let moment = DeviceClock.now()
    // Nothing that is wrong with the words keeps the call back.
    let draft = AlertDraft(
      message: AlertMessage.fitting(message), location: location, isDrill: isDrill,
      utcOffsetMinutes: localOffsetMinutes(at: moment.wall))
    do throws(EmergencyActivation.NotSaved) {
      // A store that is not open is opened there, and where that fails the spool is left.
      let outcome = try EmergencyActivation.perform(draft, home: home, store: storeIfOpen, at: moment)
      keepOpen(outcome.store)
      if outcome.activation.isSpooled { sendSpooled(outcome.activation, draft, at: moment) }
      return RaisedAlert(outcome.activation)
    } catch {
      throw sendUnsaved(draft, at: moment, because: error)
    }
  }

  /// Ends every active alert and gives them, ended and not yet told to the server; empty where none is active. Throws `sentNotSaved` where this device could not
  /// save it and the server was told all the same.
  public func deactivateAlerts() async throws(LifeSignalError) -> [Alert] {
    try await run(on: storeQueue) { [self] in
      Result { () throws(LifeSignalError) in try endAll() }
    }
  }

  /// As `deactivateAlerts`, on the calling thread, which waits for the disk.
  @available(*, noasync, message: "await deactivateAlerts()")
  public func deactivateAlertsBlocking() throws(LifeSignalError) -> [Alert] { try endAll() }

  private func endAll() throws(LifeSignalError) -> [Alert] {
    do throws(LocalStoreError) {
      let store = try store()
      let ended = try store.deactivateAlerts(at: DeviceClock.now())
      guard !ended.isEmpty else { return [] }
      let userId = store.userID
      return ended.map { Alert($0, stage: .saved, userId: userId) }
    } catch {
      throw endUnsaved(because: error)
    }
  }
}

/// Minutes east of UTC here, at `time`.
private func localOffsetMinutes(at time: Timestamp) -> Int {
  var seconds = time_t(time.milliseconds / 1000)
  var local = tm()
  return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff / 60
}
