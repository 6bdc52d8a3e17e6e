import AppModel
import Clients
import Composable
import Dependencies
import FoundationEssentials

extension AlertFeature {
  /// Times a hold: thirty ticks of 100 ms. It counts ticks instead of measuring time, so that a machine that slept meanwhile does not
  /// end an alert.
  func beginHold(_ state: inout State) -> Effect<Action> {
    guard state.canDeactivateAlert, !state.isHoldingDeactivation else { return .none }
    state.isHoldingDeactivation = true
    state.deactivationProgress = 0
    state.snapshotToEnd = state.shown
    return .run { send in
      var tickCount = 0
      for await _ in clock.timer(interval: .milliseconds(100)) {
        tickCount += 1
        await send.unlessCancelled(.alertDeactivationProgressChanged(Double(tickCount) / Double(Self.holdTickCount)))
        if tickCount == Self.holdTickCount { return }
      }
    }
    .cancellable(id: CancelID.deactivationHold, cancelInFlight: true)
  }

  private static let holdTickCount = 30

  /// Ends the hold. Saving in progress continues.
  func endHold(_ state: inout State) -> Effect<Action> {
    guard !state.isDeactivatingAlert else { return .none }
    state.isHoldingDeactivation = false
    state.deactivationProgress = 0
    return .cancel(id: CancelID.deactivationHold)
  }

  /// Shows the progress of the hold; a full one ends the alert. Changes nothing while none is active or its end is being saved.
  func fillDeactivation(_ state: inout State, to progress: Double) -> Effect<Action> {
    guard state.canDeactivateAlert else { return .none }
    // A view that measures the hold itself says nothing of its beginning.
    if !state.isHoldingDeactivation, state.deactivationProgress == 0 { state.snapshotToEnd = state.shown }
    state.deactivationProgress = progress.asProgress
    return state.isFullyDeactivated ? beginDeactivation(&state, of: state.snapshotToEnd) : .none
  }

  /// - Parameter shown: what the person saw when they began to end it; nil for what is shown now.
  func beginDeactivation(_ state: inout State, of shown: AlertSnapshot?) -> Effect<Action> {
    guard state.canDeactivateAlert else { return .none }
    let shown = shown ?? state.snapshot
    state.snapshotToEnd = nil
    state.isDeactivatingAlert = true
    state.isHoldingDeactivation = false
    if state.asksWhetherToDeactivate { state.confirmationAlert = nil }
    return .merge(.cancel(id: CancelID.deactivationHold), deactivate(shown))
  }

  /// Ends the alerts that were shown. Only the end of the store cancels it, as when raising one.
  private func deactivate(_ shown: AlertSnapshot) -> Effect<Action> {
    .run { send in
      let result = await TaskResult { try await end(shown) }
      await send.unlessCancelled(.alertDeactivationResponse(result.map(\.endTime)))
      guard case .success(let ended) = result, ended.activeCount != 0 else { return }
      await send.unlessCancelled(.alertsStayedActive(ended.activeCount))
    }
    .uncancellable()
  }

  private func end(_ shown: AlertSnapshot) async throws -> EndedAlerts {
    if let deactivateShownAlerts = alertClient.deactivateShownAlerts { return try await deactivateShownAlerts(shown) }
    return EndedAlerts(endTime: try await alertClient.deactivateAlert())
  }

  /// The end is not the end of everything.
  func tellStillActive(_ state: inout State, _ count: Int?) -> Effect<Action> {
    guard state.error == nil else { return .none }
    state.error = AlertFeatureTexts.stillActive(count)
    state.problem = .stillActive
    return .none
  }

  /// Shows the answer, unless none is awaited.
  func finishDeactivation(_ state: inout State, _ result: TaskResult<Date>) -> Effect<Action> {
    guard state.isDeactivatingAlert else { return .none }
    state.isDeactivatingAlert = false
    state.deactivationProgress = 0
    switch result {
    case .success(let endTime):
      setAlert(&state, isActive: false, startTime: state.alertStartTime, endTime: endTime)
      state.error = nil
      return notify(notificationClient.notifyRespondersOfAlertDeactivation).merge(with: followAgain(state))
    case .failure(let error):
      state.error = errorMessage(error)
      state.problem = error.wasSent ? .endSentNotSaved : .endNotSaved
      return followAgain(state)
    }
  }
}

extension AlertFeature.State {
  /// What is shown; nil where it is not known of what an end of it would have heard.
  var shown: AlertSnapshot? { snapshot.toEnd == nil ? nil : snapshot }
}
