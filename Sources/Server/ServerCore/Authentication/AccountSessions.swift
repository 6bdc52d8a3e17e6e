import Model
import Wire

/// The sessions of an account, for its owner: the session of a lost or stolen device is ended from another one.
enum AccountSessions {
  /// The newest ones are listed. More than anybody has devices.
  static let maximumSessions = 100

  /// `GET /v1/sessions`: the sessions whose alert key is valid.
  static func list(_ input: RouteInput) -> Rule<Caller> {
    var needs = RequestNeeds()
    needs.callerSessions = maximumSessions
    return Rule(needs) { caller, work in
      let sessions = work.facts.callerSessions.map { summary in
        SessionEntry(
          id: EntityID(summary.session.id), deviceName: summary.session.deviceName,
          createdAt: summary.session.createdAt, lastSeenAt: summary.lastSeenAt,
          isCurrent: summary.session.id == caller.session,
          isAlertKeyOnly: summary.session.endedAt != nil || (summary.refreshExpiresAt.map { $0 <= work.now } ?? true))
      }
      return .json(SessionsResponse(sessions: sessions).json())
    }
  }

  /// `DELETE /v1/sessions/{id}`: ends its tokens and its alert key.
  static func end(_ input: RouteInput) -> Rule<Caller> {
    var needs = RequestNeeds()
    needs.session = SessionID(input.parameters[0])
    return Rule(needs) { caller, work throws(Problem) in
      guard let session = work.facts.session, session.accountID == caller.account.id, session.alertKeyEndedAt == nil
      else { throw Problem(.notFound, "you have no such session") }
      work.endSession(session.id, endsAlertKey: true)
      return .noContent
    }
  }
}
