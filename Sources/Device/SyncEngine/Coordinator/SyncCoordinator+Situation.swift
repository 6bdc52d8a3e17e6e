import LocalStore
import Model

extension SyncCoordinator {
  /// Reads the store and detects a changed session. Nil if the store cannot be read.
  func readSituation(_ turn: inout Turn) -> Situation? {
    let newState: SyncState
    do throws(LocalStoreError) {
      newState = try store.syncState()
    } catch {
      turn.storeFailed(error)
      return nil
    }
    if let state, !isSameSession(state.session, newState.session) { turn.events.append(.sessionReplaced) }
    if state?.session?.accountID != newState.session?.accountID { lastAnswers = [:] }
    state = newState
    return Situation(
      credentials: credentials(newState.session),
      emergency: newState.emergency,
      routine: planner.mode.isWithoutLease ? LaneState() : newState.routine,
      hasActiveAlert: newState.hasActiveAlert,
      hasActiveInboxAlert: newState.hasActiveInboxAlert,
      serverNow: serverClock.now(at: turn.moment, storedOffset: newState.serverOffsetMilliseconds)
    )
  }

  private func credentials(_ session: Session?) -> Situation.Credentials {
    guard let session else { return .none }
    // Only the lease holder refreshes the session's tokens.
    if planner.mode.isWithoutLease || session.isRevoked { return .alertKey }
    return session.isExpired ? .refused : .session(accessExpiresAt: session.accessExpiresAt)
  }

  /// Whether both are the same sign-in with the same tokens. Expiry is ignored.
  func isSameSession(_ left: Session?, _ right: Session?) -> Bool {
    left?.accountID == right?.accountID && left?.accessToken == right?.accessToken
      && left?.refreshToken == right?.refreshToken && left?.alertKey == right?.alertKey
  }

  /// The best estimate of the server's time.
  func serverNow(_ turn: Turn) -> Timestamp {
    serverClock.now(at: turn.moment, storedOffset: state?.serverOffsetMilliseconds) ?? turn.moment.wall
  }
}
