import Wire

/// `GET /v1/events?heartbeat=`: the stream that tells a device to sync.
enum EventsRoute {
  private static let heartbeats = StreamEvent.heartbeatSeconds...StreamEvent.longestHeartbeatSeconds

  static func open(_ input: RouteInput) throws(Problem) -> Rule<Caller> {
    let seconds = try heartbeatSeconds(input.request.query)
    return Rule { caller, _ in
      .eventStream(caller.account.id, .session(caller.session), heartbeatSeconds: seconds)
    }
  }

  private static func heartbeatSeconds(_ query: [String: String]) throws(Problem) -> Int {
    guard let text = query[StreamEvent.heartbeatParameter] else { return StreamEvent.heartbeatSeconds }
    guard let seconds = Int(text), heartbeats.contains(seconds) else {
      throw Problem(
        .malformedRequest,
        "\(StreamEvent.heartbeatParameter) must be a number from \(heartbeats.lowerBound) to \(heartbeats.upperBound)")
    }
    return seconds
  }
}
