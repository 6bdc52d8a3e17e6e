/// Where the server is.
package struct SyncConfiguration: Hashable, Sendable {
  /// A validated base URL, such as `https://signal.example`; nil: not set yet, nothing is sent.
  package var endpoint: String?
  /// A second path to the same service, tried when the first fails twice in an emergency.
  package var secondEndpoint: String?

  package init(endpoint: String?, secondEndpoint: String? = nil) {
    self.endpoint = endpoint
    self.secondEndpoint = secondEndpoint
  }
}

/// How long the engine works.
package enum SyncMode: Hashable, Sendable {
  /// Until all is sent and fetched, the first failure that only time can mend, or the deadline, counted from `.start`.
  case once(deadlineMilliseconds: Int64)
  /// Until `.stop`: with the server's event stream and wake-ups.
  case continuous
}
