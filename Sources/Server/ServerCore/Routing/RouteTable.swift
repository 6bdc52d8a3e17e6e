import Wire

/// Every route that the core answers, as data: the access matrix is tested from it.
package enum RouteTable {
  package static let entries: [RouteEntry] =
    AuthenticationRoutes.entries + [
      RouteEntry("POST", Route.sync, .sessionOrAlertKey, .write) { try SyncRoute.handle(&$0) },
      RouteEntry("GET", Route.events, .session, .read) { try EventsRoute.handle(&$0) },
      RouteEntry("GET", Route.alerts, .session, .read) { try AlertsRoute.list(&$0) },
      RouteEntry("GET", Route.alerts + "/{id}", .session, .read) { try AlertsRoute.get(&$0) },
      RouteEntry("POST", Route.alerts + "/{id}/acknowledgements", .session, .write) {
        try AcknowledgementsRoute.handle(&$0)
      },
      RouteEntry("GET", Route.contacts, .session, .read) { try ContactsRoute.list(&$0) },
      RouteEntry("GET", Route.ready, .anyone, .read) { try OperationRoutes.ready(&$0) },
      RouteEntry("GET", Route.metrics, .anyone, .read) { try OperationRoutes.metrics(&$0) },
    ]

  /// The entry for a request and the values of its braces. Throws `notFound`; where the path is known but not the method,
  /// gives the methods that are.
  static func match(_ request: ServerRequest) throws(Problem) -> Match {
    let path = request.path.split(separator: "/", omittingEmptySubsequences: false)
    var methods: [String] = []
    for entry in entries {
      guard let parameters = entry.parameters(of: path) else { continue }
      if entry.method == request.method { return .entry(entry, parameters) }
      methods.append(entry.method)
    }
    guard methods.isEmpty else { return .otherMethods(methods) }
    throw Problem(.notFound, "there is nothing at this path")
  }

  enum Match {
    case entry(RouteEntry, [String])
    case otherMethods([String])
  }
}
