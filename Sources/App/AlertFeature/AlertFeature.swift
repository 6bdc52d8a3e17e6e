import Clients
public import Composable
import Dependencies

/// Raising an alert by four taps, ending it by a hold or a dialog, and seeing how far it got.
///
/// ```swift
/// let store = Store(initialState: AlertFeature.State()) {
///   AlertFeature()
/// }
/// store.send(.appBecameActive)
/// store.send(.alertButtonTapped)
/// ```
///
/// A view sends what the person does and shows the state; it decides nothing. Actions may come in any order: one that does
/// not fit the state changes nothing.
///
/// Two sources tell how the alert stands, the answers to what this feature asked for and the stream of snapshots. While an
/// answer is awaited snapshots say nothing about the alert, and each answer begins the stream anew, so that what was read
/// before a commit is never shown after it. A status that is still being read is given up where either comes.
public struct AlertFeature: Reducer, Sendable {
  @Dependency(\.alertClient) var alertClient
  @Dependency(\.notificationClient) var notificationClient
  @Dependency(\.continuousClock) var clock

  /// The feature, with the dependencies that are current.
  public init() {}

  /// What can be cancelled, each by itself. Raising and ending an alert cannot.
  enum CancelID: Hashable, Sendable {
    case activationReset
    case deactivationHold
    case timer
    case snapshots
    case status
    case history
  }

  /// What each action does.
  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .alertButtonTapped: fillActivation(&state, to: state.activationProgress.asProgress + 0.25)
      case .setActivationProgress(let progress): fillActivation(&state, to: progress)
      case .alertActivationResponse(let result): finishActivation(&state, result)

      case .deactivationHoldBegan: beginHold(&state)
      case .deactivationHoldEnded: endHold(&state)
      case .alertDeactivationProgressChanged(let progress): fillDeactivation(&state, to: progress)
      case .alertDeactivationButtonTapped: askWhetherToDeactivate(&state)
      case .deactivateAlertConfirmed: beginDeactivation(&state, of: nil)
      case .alertDeactivationResponse(let result): finishDeactivation(&state, result)
      case .alertsStayedActive(let count): tellStillActive(&state, count)

      case .updateMessageChanged(let text): editUpdate(&state) { $0.updateMessage = text }
      case .updatePlaceChanged(let text): editUpdate(&state) { $0.updatePlace = text }
      case .sendUpdateButtonTapped: sendUpdate(&state)
      case .updateResponse(let result): finishUpdate(&state, result)

      case .task: follow(&state)
      case .appBecameActive: becomeActive(&state)
      case .appBecameInactive: becomeInactive(&state)
      case .timerTick: .none

      case .alertSnapshotChanged(let snapshot): show(&state, snapshot)
      case .alertSnapshotsEnded: markStale(&state)
      case .loadAlertStatus: loadStatus()
      case .alertStatusResponse(let result): finishStatus(&state, result)
      case .loadAlertHistory: loadHistory(&state)
      case .alertHistoryResponse(let result): finishHistory(&state, result)

      case .confirmationAlert(let action): answerDialog(&state, action)
      case .setError(let message): setError(&state, message)
      case .dismissError: setError(&state, nil)
      }
    }
    .ifLet(\.$confirmationAlert, action: \.confirmationAlert)
  }
}
