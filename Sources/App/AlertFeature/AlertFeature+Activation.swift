import Clients
import Composable
import Dependencies
import Foundation

extension AlertFeature {
  /// Fills the alert button so far. Full means raised; else it is emptied three seconds after the last tap.
  ///
  /// Mended: the timer compared the progress with that of a state captured before, slept on a clock that no test can set,
  /// and a further tap left the one before running. Now there is one timer on the injected clock, begun anew by each tap
  /// and cancelled by the one that fills the button. Taps while an alert is active or being saved raised another.
  func fillActivation(_ state: inout State, to progress: Double) -> Effect<Action> {
    guard state.canActivateAlert else { return .none }
    state.activationProgress = progress.asProgress
    if state.activationProgress == 0 { return .cancel(id: CancelID.activationReset) }
    guard state.isFullyActivated else { return resetActivationLater() }
    state.isActivatingAlert = true
    return .merge(.cancel(id: CancelID.activationReset), activate())
  }

  /// Detached, so that whoever waits for a tap does not wait for this, and whoever gives a tap up leaves no half-full button
  /// that a single tap would fill long after.
  private func resetActivationLater() -> Effect<Action> {
    .run { send in
      try await clock.sleep(for: .seconds(3))
      await send.unlessCancelled(.setActivationProgress(0))
    }
    .detached()
    .cancellable(id: CancelID.activationReset, cancelInFlight: true)
  }

  /// Raises an alert; where one is active already, that one is the answer.
  ///
  /// Nothing but the end of the store cancels it: a view that goes away, and with it the task of the fourth tap, would leave
  /// an alert that nobody raised behind a button that waits for the answer. Mended: it did.
  private func activate() -> Effect<Action> {
    .run { send in
      let result = await TaskResult { try await alertClient.activateAlert() }
      await send.unlessCancelled(.alertActivationResponse(result))
    }
    .uncancellable()
  }

  /// Takes the answer, unless none is awaited: a second answer must not make an alert active that has ended since.
  ///
  /// Mended: the words were Foundation's, which of most errors name a type. Now they say that the alert is NOT saved,
  /// whatever was thrown.
  func finishActivation(_ state: inout State, _ result: TaskResult<Date>) -> Effect<Action> {
    guard state.isActivatingAlert else { return .none }
    state.isActivatingAlert = false
    state.activationProgress = 0
    switch result {
    case .success(let startTime):
      setAlert(&state, isActive: true, startTime: startTime, endTime: nil)
      state.error = nil
      return notify(notificationClient.notifyRespondersOfAlert).merge(with: followAgain(state))
    case .failure(let error):
      state.error = notSavedMessage(error)
      return followAgain(state)
    }
  }

  private func notSavedMessage(_ error: any Error) -> String {
    let message = errorMessage(error)
    guard !message.contains("NOT saved") else { return message }
    return "The alert is NOT saved. " + message.prefix(1).uppercased() + message.dropFirst()
  }

  /// Has responders told at once.
  ///
  /// A failure is none of the alert's: what they are to be told is queued with the alert, and is tried again. Mended: it was
  /// printed; now a programmer is told, and no cancellation is taken for a failure.
  func notify(_ endpoint: @escaping @Sendable () async throws -> Void) -> Effect<Action> {
    .run { _ in
      try await endpoint()
    } catch: { error, _ in
      IssueReporting.report(
        "responders were not told at once, and will be when the queue is sent: \(errorMessage(error))",
        severity: .warning)
    }
    .uncancellable()
  }
}
