import SyncEngine

/// A connection of one device's engine to the server: set up in round trips, kept for later requests, and able to die without
/// either end hearing of it.
final class Connection {
  /// The bytes of TLS: what the device sends, and what the server's certificates take.
  static let handshakeUp = 700
  static let handshakeDown = 3500
  static let packet = 60

  var isIdle = false
  /// Nothing that is sent over it arrives any more.
  var isDead = false
  /// The device's route when it was opened: over one that is gone its packets do not find back.
  let route: Int

  init(route: Int) {
    self.route = route
  }
}

/// One request of the engine on its way: over which connection, when the peer was last heard, and whether it is still wanted.
final class Transfer {
  let request: TransportRequest
  let startedAt: Int64
  var connection: Connection?
  private(set) var isOver = false
  private(set) var lastSignAt: Int64?

  init(_ request: TransportRequest, at now: Int64) {
    self.request = request
    startedAt = now
  }

  func heard(at now: Int64) { lastSignAt = now }

  /// Answered, failed or cancelled. False where it was over before.
  func end() -> Bool {
    defer { isOver = true }
    return !isOver
  }
}
