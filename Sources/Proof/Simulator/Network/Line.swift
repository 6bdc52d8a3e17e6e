import Model

/// The line between a device and the network: a bit rate and a queue in each direction.
///
/// Queued bytes are sent even if nobody wants them any more: a cancelled request leaves the device at once, and the network
/// later.
final class Line {
  /// Nil: unlimited.
  struct Rates: Hashable {
    var up: Int64
    var down: Int64

    static let choices: [Int64] = [2000, 16_000, 64_000, 256_000, 2_000_000, 100_000_000]

    static func random(_ random: inout SimulatedRandom) -> Self {
      let up = random.one(of: choices)
      return Self(up: up, down: up * random.one(of: [1, 1, 4]))
    }
  }

  enum Direction {
    case up, down
  }

  /// What one end sends before it waits for the other: ten packets, the initial window of TCP.
  static let windowBytes = 14_600
  private static let packetBytes = 1460

  private let world: World
  private(set) var rates: Rates?
  /// When the last byte of each queue will have been sent.
  private var freeAt: [Direction: Int64] = [:]

  init(world: World) {
    self.world = world
  }

  /// Empties the queues, as a new modem does.
  func change(_ rates: Rates?) {
    self.rates = rates
    freeAt = [:]
  }

  /// Sends `bytes` a window at a time while `isWanted`. Calls `sent` when the last byte has been sent; the link's delay comes
  /// after that.
  func send(
    _ bytes: Int, _ direction: Direction, isWanted: @escaping () -> Bool, progress: @escaping () -> Void = {},
    sent: @escaping () -> Void
  ) {
    guard let rates else { return world.after(0, sent) }
    let rate = direction == .up ? rates.up : rates.down
    let first = min(bytes, Self.windowBytes)
    enqueue(first, direction, rate)
    follow(bytes - first, direction, rate, isWanted, progress, sent)
  }

  private func follow(
    _ rest: Int, _ direction: Direction, _ rate: Int64, _ isWanted: @escaping () -> Bool,
    _ progress: @escaping () -> Void,
    _ sent: @escaping () -> Void
  ) {
    guard rest > 0 else { return world.after(freeAt[direction, default: 0] - world.now, sent) }
    // The window moves with each packet that arrives; on a fast line by many at a time.
    let step = min(rest, max(Self.packetBytes, Int(rate / 8 / 20)))
    world.after(max(1, milliseconds(step, rate))) { [self] in
      guard isWanted() else { return }
      progress()
      enqueue(step, direction, rate)
      follow(rest - step, direction, rate, isWanted, progress, sent)
    }
  }

  private func enqueue(_ bytes: Int, _ direction: Direction, _ rate: Int64) {
    freeAt[direction] = max(world.now, freeAt[direction, default: 0]) + milliseconds(bytes, rate)
  }

  private func milliseconds(_ bytes: Int, _ rate: Int64) -> Int64 { Int64(bytes) * 8000 / rate }

  /// The time that this many bytes take in one direction over an empty queue.
  func milliseconds(_ bytes: Int, _ direction: Direction) -> Int64 {
    guard let rates else { return 0 }
    return milliseconds(bytes, direction == .up ? rates.up : rates.down)
  }
}
