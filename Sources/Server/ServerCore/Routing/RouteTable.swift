import Wire

/// The routes of one listener, as data. Access and form of a request are checked only from this table.
package struct RouteTable: Sendable {
  package let entries: [RouteEntry]

  package init(_ entries: [RouteEntry]) {
    self.entries = entries
  }

  /// The core's routes on the public listener.
  package static let main = RouteTable([
    RouteEntry("POST", Route.verifications, body: .json, .write, rule: Verifications.request),
    RouteEntry("POST", Route.sessions, body: .json, .write, rule: Sessions.create),
    RouteEntry("POST", Route.tokens, body: .json, .write, rule: Tokens.refresh),
    RouteEntry("DELETE", Route.currentSession, .sessionOrAlertKey, .write, rule: Sessions.end),
    RouteEntry("GET", Route.accountSessions, .session, .read, rule: AccountSessions.list),
    RouteEntry("DELETE", Route.accountSessions + "/{id}", .session, .write, rule: AccountSessions.end),
    RouteEntry(
      "POST", Route.sync, .sessionOrAlertKey, body: .json, .write, mayCarryAlert: true, rule: SyncRoute.rule),
    RouteEntry("GET", Route.events, .session, .read, rule: EventsRoute.open),
    RouteEntry("GET", Route.alerts, .session, .read, rule: AlertsRoute.list),
    RouteEntry("GET", Route.alerts + "/{id}", .session, .read, rule: AlertsRoute.get),
    RouteEntry("POST", Route.alerts + "/{id}/acknowledgements", .session, .write, rule: AcknowledgementsRoute.rule),
    RouteEntry(page: "GET", Route.page + "/{token}", .read, rule: PageRoute.show),
    RouteEntry(page: "GET", Route.page + "/{token}/events", .read, rule: PageRoute.openEvents),
    RouteEntry(page: "POST", Route.page + "/{token}/seen", .write, rule: PageRoute.noteSeen),
    RouteEntry("GET", Route.page + "/{token}/acknowledgements", errors: .page, .immediate, rule: PageRoute.leadBack),
    RouteEntry(page: "POST", Route.page + "/{token}/acknowledgements", body: .form, .write, rule: PageRoute.answer),
    RouteEntry(gateway: "POST", Route.inboundSMS, body: .jsonOrForm, .write, rule: InboundSMSRoute.rule),
    RouteEntry("GET", Route.contacts, .session, .read, rule: ContactsRoute.list),
    RouteEntry("GET", Route.ready, .readiness, rule: OperationRoutes.ready),
  ])

  /// The core's routes on the operator's listener.
  /// - Parameters:
  ///   - certificateEnd: of this process's certificate; nil without TLS.
  ///   - codes: how sign-in codes fared in this process.
  package static func operation(
    certificateEnd: @escaping @Sendable () -> CertificateEnd? = { nil },
    codes: @escaping @Sendable () -> CodeFigures
  ) -> RouteTable {
    RouteTable([
      RouteEntry("GET", Route.ready, .readiness, rule: OperationRoutes.ready),
      RouteEntry("GET", Route.overview, .operation) { OperationRoutes.overview($0, codes(), certificateEnd()) },
      RouteEntry("GET", Route.overviewJSON, .operation) {
        OperationRoutes.overviewJSON($0, codes(), certificateEnd())
      },
    ])
  }

  enum Match {
    /// With the values of the braces in its pattern.
    case entry(RouteEntry, [String])
    /// The path exists, for these methods.
    case otherMethods([String])
    case nothing
  }

  func match(_ request: ServerRequest) -> Match {
    let path = RouteEntry.segments(of: request.path)
    var methods: [String] = []
    for entry in entries {
      guard let parameters = entry.parameters(of: path) else { continue }
      if entry.method == request.method { return .entry(entry, parameters) }
      methods.append(entry.method)
    }
    return methods.isEmpty ? .nothing : .otherMethods(methods)
  }
}
