import AppModel
import Clients
import Composable
import Dependencies

extension ResponderFeature {
  /// Starts or restarts the stream of alerts. One that ends by itself is restarted with backoff; the state is stale meanwhile.
  func follow(_ state: inout State) -> Effect<Action> {
    state.isFollowing = true
    return .run { send in
      try await Clients.follow(responderClient.alerts, clock: clock) { alerts in
        await send.unlessCancelled(.alertsChanged(alerts))
      } ended: {
        await send.unlessCancelled(.alertsEnded)
      }
    }
    .cancellable(id: CancelID.alerts, cancelInFlight: true)
  }

  func stopFollowing(_ state: inout State) -> Effect<Action> {
    state.isFollowing = false
    return .cancel(id: CancelID.alerts)
  }

  func markStale(_ state: inout State) -> Effect<Action> {
    state.isStale = state.isFollowing
    return .none
  }

  /// Shows the alerts, and counts those that call. An open alert of which the person is no longer told is closed.
  func show(_ state: inout State, _ alerts: [ReceivedAlert]) -> Effect<Action> {
    state.isStale = false
    state.callCount += alerts.count { $0.isCalling(after: state.calls[$0.id]) }
    state.calls = Dictionary(alerts.filter(\.isActive).map { ($0.id, Call($0)) }) { first, _ in first }
    state.alerts = alerts
    state.seen.formIntersection(alerts.map(\.id))
    return state.selected == nil ? clearSelection(&state) : .none
  }
}

extension ResponderFeature.Call {
  init(_ alert: ReceivedAlert) {
    self.init(askedAgain: alert.askedAgain, isAskedToConfirm: alert.isAskedToConfirm)
  }
}

extension ReceivedAlert {
  /// Whether it asks for an answer since `call`; nil if it was not known.
  fileprivate func isCalling(after call: ResponderFeature.Call?) -> Bool {
    guard needsAnswer else { return false }
    guard let call else { return true }
    return askedAgain > call.askedAgain || isAskedToConfirm && !call.isAskedToConfirm
  }
}
