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
  /// Beside another process that holds the sender's lease and may stand still: alerts alone, and by the alert key, so that no
  /// two processes refresh one token. Begins after the delay, which the holder has to bring them to acceptance, and ends when
  /// none is left to send.
  ///
  /// With a deadline, counted from `.start`, it ends as `once` does; without one it tries again as `continuous` does.
  case withoutLease(afterMilliseconds: Int64, deadlineMilliseconds: Int64?)
}
