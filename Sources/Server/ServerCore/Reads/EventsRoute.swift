import Wire

/// `GET /v1/events`: the stream that tells a device to sync.
enum EventsRoute {
  static func handle(_ context: inout RequestContext) throws -> ServerResponse {
    guard case .session(let account, let session, _) = context.principal else {
      throw Problem(.unauthorized, "sign in first")
    }
    return .eventStream(account, session)
  }
}
