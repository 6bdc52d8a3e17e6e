/// The server's URLs.
package struct SyncConfiguration: Hashable, Sendable {
  /// A validated base URL, such as `https://signal.example`. If it is nil, nothing is sent.
  package var endpoint: String?
  /// A second URL of the same service, tried in an emergency after the first has failed twice.
  package var secondEndpoint: String?

  package init(endpoint: String?, secondEndpoint: String? = nil) {
    self.endpoint = endpoint
    self.secondEndpoint = secondEndpoint
  }
}

/// How long the engine works, and what it sends.
package enum SyncMode: Hashable, Sendable {
  /// Works until everything is sent and fetched, until a failure that only waiting can fix, or until the deadline,
  /// counted from `.start`; with `isRenewed` from the last answer that took an item or brought a change, so that only a run
  /// without progress ends there.
  case once(deadlineMilliseconds: Int64, isRenewed: Bool = false)
  /// Works until `.stop`, with the server's event stream and wake-ups.
  case continuous
  /// Alongside another process that holds the sender's lease and may hang. Sends alerts only, with the alert key, so
  /// that two processes never refresh one token. Starts after the delay, which gives the holder time to get them
  /// accepted, and ends when no alert is left to send.
  ///
  /// With a deadline, counted from `.start`, it ends as `once` does; without one it retries as `continuous` does.
  case withoutLease(afterMilliseconds: Int64, deadlineMilliseconds: Int64?)
}
