import AppModel
import Clients
import Composable
import Dependencies
import FoundationEssentials

extension AlertFeature {
  /// Starts or restarts the stream of snapshots.
  func follow(_ state: inout State) -> Effect<Action> {
    state.isFollowingAlert = true
    return snapshots()
  }

  /// Restarts the stream after an answer, so that no snapshot from before the commit comes after it.
  ///
  /// Detached: waiting for a tap waits until the alert is saved, not until the stream ends.
  func followAgain(_ state: State) -> Effect<Action> {
    .cancel(id: CancelID.status).merge(with: state.isFollowingAlert ? snapshots().detached() : .none)
  }

  /// A stream that ends by itself, for example because the store cannot be opened, is restarted with backoff; the state is stale
  /// meanwhile.
  private func snapshots() -> Effect<Action> {
    .run { send in
      try await Clients.follow(alertClient.snapshots, clock: clock) { snapshot in
        await send.unlessCancelled(.alertSnapshotChanged(snapshot))
      } ended: {
        await send.unlessCancelled(.alertSnapshotsEnded)
      }
    }
    .cancellable(id: CancelID.snapshots, cancelInFlight: true)
  }

  /// Follows, ticks and reads. Calling it twice restarts the one timer.
  func becomeActive(_ state: inout State) -> Effect<Action> {
    .merge(follow(&state), tick(), .send(.loadAlertStatus), .send(.loadAlertHistory))
  }

  private func tick() -> Effect<Action> {
    .run { send in
      for await _ in clock.timer(interval: .seconds(1)) {
        await send.unlessCancelled(.timerTick)
      }
    }
    .cancellable(id: CancelID.timer, cancelInFlight: true)
  }

  /// Stops what `becomeActive` started, and a hold, whose end nobody would see.
  func becomeInactive(_ state: inout State) -> Effect<Action> {
    state.isFollowingAlert = false
    return .merge(.cancel(id: CancelID.timer), .cancel(id: CancelID.snapshots), endHold(&state))
  }

  /// Marks the state as stale: the stream ended by itself and restarts.
  func markStale(_ state: inout State) -> Effect<Action> {
    state.isStale = state.isFollowingAlert
    state.historyRevision = nil
    return .none
  }

  /// Shows a snapshot, and rereads the history unless the snapshot says that no alert changed.
  ///
  /// While an answer is awaited it shows only the connection: the snapshot may be from before or after the commit, and the answer
  /// restarts the stream.
  func show(_ state: inout State, _ snapshot: AlertSnapshot) -> Effect<Action> {
    state.connection = snapshot.connection
    state.isStale = false
    guard !state.isAwaitingAnswer else { return .none }
    let change = take(&state, snapshot)
    let isHistoryShown = snapshot.revision != nil && snapshot.revision?.alerts == state.historyRevision
    state.historyRevision = snapshot.revision?.alerts
    return .merge(.cancel(id: CancelID.status), change, isHistoryShown ? .none : readHistory())
  }

  /// Shows an alert of which only the times are known, as when it was just raised or ended.
  @discardableResult
  func setAlert(_ state: inout State, isActive: Bool, startTime: Date?, endTime: Date?) -> Effect<Action> {
    var snapshot = state.snapshot
    if startTime != snapshot.startTime {
      // Nothing that was known of another alert holds for this one.
      snapshot = AlertSnapshot(connection: snapshot.connection, storeProblem: snapshot.storeProblem)
    }
    if snapshot.delivery?.savedAt != startTime { snapshot.delivery = nil }
    snapshot.toEnd = nil
    snapshot.unreadableAlert = nil
    snapshot.isActive = isActive
    snapshot.startTime = startTime
    snapshot.endTime = endTime
    return take(&state, snapshot)
  }

  /// The one place where an alert begins and ends for the person. Cancels what they had begun to do about another one. What they write goes to
  /// whichever is active, and stays as long as one is.
  func take(_ state: inout State, _ snapshot: AlertSnapshot) -> Effect<Action> {
    let isOther = snapshot.startTime != state.alertStartTime
    let isSame = snapshot.isActive == state.isAlertActive && !(snapshot.isActive && isOther)
    let staysActive = snapshot.isActive && state.isAlertActive
    state.snapshot = snapshot
    guard !isSame else { return .none }
    state.activationProgress = 0
    state.deactivationProgress = 0
    state.isHoldingDeactivation = false
    state.snapshotToEnd = nil
    if !staysActive {
      state.updateMessage = ""
      state.updatePlace = ""
    }
    if state.asksWhetherToDeactivate { state.confirmationAlert = nil }
    return .merge(.cancel(id: CancelID.activationReset), .cancel(id: CancelID.deactivationHold))
  }
}
