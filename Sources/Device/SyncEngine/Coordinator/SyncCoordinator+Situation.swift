import LocalStore
import Model

extension SyncCoordinator {
  /// Reads the store, and notices when there is another session than before. Nil where it cannot be read.
  func readSituation(_ turn: inout Turn) -> Situation? {
    let newState: SyncState
    do throws(LocalStoreError) {
      newState = try store.syncState()
    } catch {
      turn.storeFailed(error)
      return nil
    }
    if let state, !isSameSession(state.session, newState.session) { turn.events.append(.sessionReplaced) }
    if state?.session?.accountID != newState.session?.accountID { lastAnswer = nil }
    state = newState
    return Situation(
      credentials: credentials(newState.session),
      emergency: newState.emergency,
      routine: planner.mode.isWithoutLease ? LaneState() : newState.routine,
      hasActiveAlert: newState.hasActiveAlert,
      serverNow: serverClock.now(at: turn.moment, storedOffset: newState.serverOffsetMilliseconds)
    )
  }

  private func credentials(_ session: Session?) -> Situation.Credentials {
    guard let session else { return .none }
    // The session's tokens are the lease holder's to refresh.
    let isAlertKeyOnly = session.isExpired || planner.mode.isWithoutLease
    return isAlertKeyOnly ? .alertKey : .session(accessExpiresAt: session.accessExpiresAt)
  }

  /// Whether it is the same sign-in with the same tokens. That it has expired meanwhile does not matter.
  private func isSameSession(_ left: Session?, _ right: Session?) -> Bool {
    left?.accountID == right?.accountID && left?.accessToken == right?.accessToken
      && left?.refreshToken == right?.refreshToken && left?.alertKey == right?.alertKey
  }

  /// The server's time as well as it is known.
  func serverNow(_ turn: Turn) -> Timestamp {
    serverClock.now(at: turn.moment, storedOffset: state?.serverOffsetMilliseconds) ?? turn.moment.wall
  }
}
