public import AppModel
import DeviceCore
import LocalStore
public import Model
import SystemKit

extension LifeSignalClient {
  /// Raises an alert and returns when it is durable on this device; the worker or `sync()` sends it. If one is already active, returns
  /// that one, and its responders get the new message and location. If it turns out to have ended on another device, the call
  /// becomes a new alert. This machine's battery level, if it has one, follows by itself.
  ///
  /// - Parameters:
  ///   - message: cut to `AlertMessage.maximumCharacters`.
  ///   - location: where the person is, if known.
  ///   - isDrill: whether the responders are told that it is a drill.
  /// - Throws: `notSaved` if neither the store nor its spool could take it: call for help another way. `sentNotSaved` if it could not
  ///   be saved but the server has it, sent from memory. Sending takes up to twenty seconds.
  nonisolated(nonsending) public func activateAlert(
    message: String? = nil, location: Location? = nil, isDrill: Bool = false
  ) async throws(LifeSignalError) -> RaisedAlert {
    try await run(on: alertQueue) { [self] in
      Result { () throws(LifeSignalError) in try raise(message, location, isDrill) }
    }
  }

  /// Does the same on the calling thread, which waits for the disk: for callers without a task.
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
    // A message that is too long does not prevent the call.
    let draft = AlertDraft(
      message: AlertMessage.fitting(message), location: location, isDrill: isDrill,
      utcOffsetMinutes: DeviceClock.utcOffsetMinutes(at: moment.wall))
    return try raise(draft, at: moment)
  }

  private func raise(_ draft: AlertDraft, at moment: Moment) throws(LifeSignalError) -> RaisedAlert {
    do throws(EmergencyActivation.NotSaved) {
      // Opens the store if it is not open, and falls back to the spool.
      let outcome = try EmergencyActivation.perform(draft, home: home, store: storeIfOpen, at: moment)
      keepOpen(outcome.store)
      if outcome.activation.isSpooled { sendSpooled(outcome.activation, draft, at: moment) }
      tellBattery(after: outcome, isDrill: draft.isDrill)
      return RaisedAlert(outcome.activation)
    } catch {
      throw sendUnsaved(draft, at: moment, because: error)
    }
  }

  /// Saves the battery level as news of the alert, on a thread of its own: the alert is durable, and nobody waits for this.
  private func tellBattery(after outcome: EmergencyActivation.Outcome, isDrill: Bool) {
    guard let store = outcome.store, DeviceNews.isDue(after: outcome.activation, isDrill: isDrill),
      Battery.mayBe(in: powerSupply)
    else { return }
    let press = outcome.activation.press, powerSupply = powerSupply
    // Best effort: without a thread the responders are not told of it.
    try? SystemThread.detach { _ = DeviceNews.save(ofPress: press, in: store, powerSupply: powerSupply) }
  }

  /// Sends the responders of the active alert what is new, and returns when it is durable on this device; the worker or `sync()` sends it.
  ///
  /// A message is a call for help: if the alert has ended on another device meanwhile, it becomes a new alert. A place or a battery level
  /// alone is dropped then. Each place is kept: the responders see the way that the person took.
  ///
  /// - Parameters:
  ///   - message: cut to `AlertMessage.maximumCharacters`.
  ///   - location: where the person is now.
  ///   - accuracyMeters: the radius around it; nil if unknown.
  ///   - batteryPercent: 0…100; nil for this machine's own battery, if it has one.
  /// - Throws: `noActiveAlert` if none is active, `notSaved` if it could not be saved. `sentNotSaved` if a message could not be saved but the
  ///   server has it, sent from memory as a call for help. Sending takes up to twenty seconds.
  nonisolated(nonsending) public func updateAlert(
    message: String? = nil, location: Location? = nil, accuracyMeters: Double? = nil, batteryPercent: Int? = nil
  ) async throws(LifeSignalError) {
    try await run(on: storeQueue) { [self] in
      Result { () throws(LifeSignalError) in
        let moment = DeviceClock.now()
        let news = AlertNews(
          message: AlertMessage.fitting(message), location: location, accuracyMeters: accuracyMeters,
          batteryPercent: batteryPercent ?? Battery.percent(in: powerSupply),
          utcOffsetMinutes: DeviceClock.utcOffsetMinutes(at: moment.wall))
        try update(news, at: moment)
      }
    }
  }

  private func update(_ news: AlertNews, at moment: Moment) throws(LifeSignalError) {
    let saved: SavedNews?
    do throws(LocalStoreError) {
      saved = try store().updateAlert(news, at: moment)
    } catch {
      // What a person says goes on as a press does: beside the store, or from memory.
      guard let call = call(news, at: moment, because: error) else { throw LifeSignalError(error) }
      _ = try raise(call, at: moment)
      return
    }
    if saved == nil { throw LifeSignalError.noAlertIsActive }
  }

  /// Ends active alerts and returns them, ended here and not yet sent; empty if none of them is active.
  ///
  /// ```swift
  /// let shown = try await client.status()          // the person looks, and decides
  /// let ended = try await client.deactivateAlerts(shownIn: shown)
  /// let isAnotherActive = try await client.status().isActive
  /// ```
  ///
  /// - Parameter status: what the person was shown when they decided. Only its active alerts are ended, and the server ends none in which
  ///   another device has called for help since. What came later goes on. Nil ends every alert that is active now.
  /// - Throws: `sentNotSaved` if this device could not save the end but the server has it.
  nonisolated(nonsending) public func deactivateAlerts(
    shownIn status: Status? = nil
  ) async throws(LifeSignalError) -> [Alert] {
    try await run(on: storeQueue) { [self] in
      Result { () throws(LifeSignalError) in try endAlerts(status?.toEnd) }
    }
  }

  /// Does the same on the calling thread, which waits for the disk.
  @available(*, noasync, message: "await deactivateAlerts(shownIn:)")
  public func deactivateAlertsBlocking(shownIn status: Status? = nil) throws(LifeSignalError) -> [Alert] {
    try endAlerts(status?.toEnd)
  }

  /// - Parameter shown: nil for all.
  private func endAlerts(_ shown: [AlertToEnd]?) throws(LifeSignalError) -> [Alert] {
    do throws(LocalStoreError) {
      let store = try store()
      let ended = try store.deactivateAlerts(shown, at: DeviceClock.now())
      guard !ended.isEmpty else { return [] }
      let userId = store.userID
      return ended.map { Alert($0, stage: .saved, userId: userId) }
    } catch {
      throw endUnsaved(shown, because: error)
    }
  }
}
