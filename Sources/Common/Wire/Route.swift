/// The paths of the wire, shared by both sides.
package enum Route {
  package static let verifications = "/v1/auth/verifications"
  package static let sessions = "/v1/auth/sessions"
  package static let tokens = "/v1/auth/tokens"
  package static let currentSession = "/v1/auth/sessions/current"
  package static let accountSessions = "/v1/sessions"
  package static let sync = "/v1/sync"
  package static let events = "/v1/events"
  package static let alerts = "/v1/alerts"
  package static let contacts = "/v1/contacts"
  /// The page of a responder: `/a/{token}`.
  package static let page = "/a"
  /// What responders text back, from the SMS gateway.
  package static let inboundSMS = "/v1/inbound/sms"
  package static let health = "/health"
  package static let ready = "/ready"
  package static let description = "/openapi.yaml"

  // On the operator's listener alone.

  package static let metrics = "/metrics"
  package static let overview = "/admin"
  package static let overviewJSON = "/admin.json"
}

/// The events of the server's stream. They carry no data: the device fetches the changes with a sync.
package enum StreamEvent: String, Sendable {
  /// Something of the account changed.
  case change
  /// A comment line that shows each side that the other is there.
  case heartbeat

  /// How often the server sends a heartbeat, unless the client asked for a longer time. Clients of before ask for none, and servers of before
  /// keep to it whatever is asked.
  package static let heartbeatSeconds = 25
  /// The longest time that a client may ask for.
  package static let longestHeartbeatSeconds = 600
  /// The query parameter of `Route.events` with the time between heartbeats, in seconds.
  package static let heartbeatParameter = "heartbeat"

  /// The event in the format of text/event-stream (WHATWG HTML §9.2).
  package var text: String {
    switch self {
    case .change: "event: change\ndata: {}\n\n"
    case .heartbeat: ": heartbeat\n\n"
    }
  }
}
