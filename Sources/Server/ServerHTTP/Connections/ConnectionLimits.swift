import ServerCore
import SystemKit

/// Counts connections, and those of each subscriber, so that one client cannot take them all. Those of a proxy are many people's.
final class ConnectionLimits: Sendable {
  private struct Counts {
    var total = 0
    var ofSubscribers: [String: Int] = [:]
  }

  private let counts = Lock(Counts())
  private let maximum: Int
  private let maximumPerAddress: Int
  private let includesLoopback: Bool
  private let proxies: TrustedProxies

  init(_ settings: HTTPSettings) {
    maximum = settings.maximumConnections
    maximumPerAddress = settings.maximumConnectionsPerAddress
    includesLoopback = settings.limitsLoopback
    proxies = settings.trustedProxies
  }

  func accepts(_ peer: PeerAddress) -> Bool {
    if peer.isLoopback, !includesLoopback { return true }
    if proxies.trusts(peer.text) { return true }
    return counts.withLock { $0.ofSubscribers[peer.subscriber, default: 0] < maximumPerAddress }
  }

  /// Whether there are as many as there may be: the next one needs the room of another.
  var isFull: Bool { counts.withLock { $0.total >= maximum } }

  /// The open connections.
  var count: Int { counts.withLock { $0.total } }

  func add(_ peer: PeerAddress) {
    counts.withLock { counts in
      counts.total += 1
      counts.ofSubscribers[peer.subscriber, default: 0] += 1
    }
  }

  func remove(_ peer: PeerAddress) {
    counts.withLock { counts in
      guard let count = counts.ofSubscribers[peer.subscriber] else { return }
      counts.total -= 1
      counts.ofSubscribers[peer.subscriber] = count > 1 ? count - 1 : nil
    }
  }
}
