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
    state.deactivationProgress = progress.asProgress
    return state.isFullyDeactivated ? beginDeactivation(&state) : .none
  }

  func beginDeactivation(_ state: inout State) -> Effect<Action> {
    guard state.canDeactivateAlert else { return .none }
    state.isDeactivatingAlert = true
    state.isHoldingDeactivation = false
    if state.asksWhetherToDeactivate { state.confirmationAlert = nil }
    return .merge(.cancel(id: CancelID.deactivationHold), deactivate())
  }

  /// Ends every active alert. Only the end of the store cancels it, as when raising one.
  private func deactivate() -> Effect<Action> {
    .run { send in
      let result = await TaskResult { try await alertClient.deactivateAlert() }
      await send.unlessCancelled(.alertDeactivationResponse(result))
    }
    .uncancellable()
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
