package import Model
package import Secrets

/// What the shell read from the outside world for one call: the clock and fresh randomness. Nothing inside reads either.
package struct ServerMoment: Sendable {
  /// The server's wall clock.
  package var now: Timestamp
  /// Seeded for this call alone.
  package var entropy: Entropy

  package init(now: Timestamp, entropy: Entropy) {
    self.now = now
    self.entropy = entropy
  }
}
