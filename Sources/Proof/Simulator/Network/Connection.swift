import SyncEngine

/// A connection from a device's engine to the server: set up in round trips, kept for later requests, and able to die without
/// either end noticing.
final class Connection {
  /// The TLS handshake in bytes: from the device, and from the server with its certificates.
  static let handshakeUp = 700
  static let handshakeDown = 3500
  static let packet = 60

  var isIdle = false
  /// Nothing sent over it arrives any more.
  var isDead = false
  /// The device's route when it was opened. Packets over a removed route are lost.
  let route: Int

  init(route: Int) {
    self.route = route
  }
}

/// What is between a device and the server forgets a stream that was quiet for too long, as an address translator does: nothing that the
/// server says arrives any more, and neither end is told.
final class PathQuiet {
  private var lastCarriedAt: Int64 = 0
  private(set) var isForgotten = false

  /// Whether what the server says now arrives. `limit`: nil where nothing is forgotten.
  @discardableResult
  func carries(at now: Int64, limit: Int64?) -> Bool {
    if let limit, now - lastCarriedAt > limit { isForgotten = true }
    lastCarriedAt = now
    return !isForgotten
  }
}

/// One request of the engine in flight: its connection, when the peer was last heard, and whether it is still wanted.
final class Transfer {
  let request: TransportRequest
  let startedAt: Int64
  var connection: Connection?
  private(set) var isOver = false
  private(set) var lastSignAt: Int64?
  /// Of a stream.
  let quiet = PathQuiet()

  init(_ request: TransportRequest, at now: Int64) {
    self.request = request
    startedAt = now
  }

  func heard(at now: Int64) { lastSignAt = now }

  /// Ends it as answered, failed or cancelled. False if it had ended before.
  func end() -> Bool {
    defer { isOver = true }
    return !isOver
  }
}
