import SystemKit

/// Counts connections by address, so that one client cannot take them all.
final class ConnectionLimits: Sendable {
  private let counts = Lock<[PeerAddress: Int]>([:])
  private let maximumPerAddress: Int
  private let includesLoopback: Bool

  init(maximumPerAddress: Int, includesLoopback: Bool) {
    self.maximumPerAddress = maximumPerAddress
    self.includesLoopback = includesLoopback
  }

  func accepts(_ peer: PeerAddress) -> Bool {
    guard includesLoopback || !peer.isLoopback else { return true }
    return counts.withLock { $0[peer, default: 0] < maximumPerAddress }
  }

  /// The open connections.
  var count: Int { counts.withLock { $0.values.reduce(0, +) } }

  func add(_ peer: PeerAddress) {
    counts.withLock { $0[peer, default: 0] += 1 }
  }

  func remove(_ peer: PeerAddress) {
    counts.withLock { counts in
      guard let count = counts[peer] else { return }
      counts[peer] = count > 1 ? count - 1 : nil
    }
  }
}
