import Model
import Wire

/// Where an account is signed in, for its owner: a device that was lost or stolen is ended from another.
enum AccountSessions {
  /// More than anybody signs in with; the newest ones are told.
  static let maximumSessions = 100

  /// `GET /v1/sessions`: the sessions whose alert key lives.
  static func list(_ context: inout RequestContext) throws -> ServerResponse {
    let (account, current) = try owner(context)
    let sessions = try context.transaction.livingSessions(of: account, limit: maximumSessions).map { summary in
      SessionEntry(
        id: EntityID(summary.session.id), deviceName: summary.session.deviceName, createdAt: summary.session.createdAt,
        lastSeenAt: summary.lastSeenAt, isCurrent: summary.session.id == current,
        isAlertKeyOnly: summary.session.endedAt != nil || (summary.refreshExpiresAt.map { $0 <= context.now } ?? true))
    }
    return .json(SessionsResponse(sessions: sessions).json())
  }

  /// `DELETE /v1/sessions/{id}`: ends it wholly, at once.
  static func end(_ context: inout RequestContext) throws -> ServerResponse {
    let (account, _) = try owner(context)
    guard let id = SessionID(context.parameters[0]), let session = try context.transaction.session(id),
      session.accountID == account, session.alertKeyEndedAt == nil
    else { throw Problem(.notFound, "you have no such session") }
    try Sessions.end(id, &context)
    return .noContent
  }

  private static func owner(_ context: RequestContext) throws(Problem) -> (AccountID, SessionID) {
    guard case .session(let account, let session, _) = context.principal else {
      throw Problem(.unauthorized, "sign in first")
    }
    return (account, session)
  }
}
