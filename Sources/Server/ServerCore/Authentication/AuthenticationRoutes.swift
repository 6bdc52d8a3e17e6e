import Wire

/// The routes of signing in, and of sessions.
package enum AuthenticationRoutes {
  package static let entries: [RouteEntry] = [
    RouteEntry("POST", Route.verifications, .anyone, .write) { try Verifications.request(&$0) },
    RouteEntry("POST", Route.sessions, .anyone, .write) { try Sessions.create(&$0) },
    RouteEntry("POST", Route.tokens, .anyone, .write) { try Tokens.refresh(&$0) },
    RouteEntry("DELETE", Route.currentSession, .sessionOrAlertKey, .write) { try Sessions.end(&$0) },
    RouteEntry("GET", Route.accountSessions, .session, .read) { try AccountSessions.list(&$0) },
    RouteEntry("DELETE", Route.accountSessions + "/{id}", .session, .write) { try AccountSessions.end(&$0) },
  ]
}
