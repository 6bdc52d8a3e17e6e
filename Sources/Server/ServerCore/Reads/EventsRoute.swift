import Wire

/// `GET /v1/events`: the stream that tells a device to sync.
enum EventsRoute {
  static func open(_ input: RouteInput) -> Rule<Caller> {
    Rule { caller, _ in .eventStream(caller.account.id, .session(caller.session)) }
  }
}
