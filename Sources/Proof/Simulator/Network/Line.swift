import Model

/// The wire between a device and the network, both ways: so many bits a second, and a queue in front of each.
///
/// What is in a queue goes out, whether or not anybody still wants it: a request that is cancelled leaves the device at once,
/// and the network by and by.
final class Line {
  /// nil: as fast as light.
  struct Rates: Hashable {
    var up: Int64
    var down: Int64

    static let choices: [Int64] = [2000, 16_000, 64_000, 256_000, 2_000_000, 100_000_000]

    static func random(_ random: inout SimulatedRandom) -> Self {
      let up = random.one(of: choices)
      return Self(up: up, down: up * random.one(of: [1, 1, 4]))
    }
  }

  enum Way {
    case up, down
  }

  /// What one end puts into the network before it waits for the other: ten packets, as TCP begins.
  static let windowBytes = 14_600
  private static let packetBytes = 1460

  private let world: World
  private(set) var rates: Rates?
  /// When the last byte of each queue will have gone out.
  private var freeAt: [Way: Int64] = [:]

  init(world: World) {
    self.world = world
  }

  /// The queues are emptied, as by another modem.
  func change(_ rates: Rates?) {
    self.rates = rates
    freeAt = [:]
  }

  /// Sends `bytes` as long as `isWanted`, a window at a time. `sent` is told when the last one has gone out; then it takes the
  /// link's delay.
  func send(
    _ bytes: Int, _ way: Way, isWanted: @escaping () -> Bool, progress: @escaping () -> Void = {},
    sent: @escaping () -> Void
  ) {
    guard let rates else { return world.after(0, sent) }
    let rate = way == .up ? rates.up : rates.down
    let first = min(bytes, Self.windowBytes)
    enqueue(first, way, rate)
    follow(bytes - first, way, rate, isWanted, progress, sent)
  }

  private func follow(
    _ rest: Int, _ way: Way, _ rate: Int64, _ isWanted: @escaping () -> Bool, _ progress: @escaping () -> Void,
    _ sent: @escaping () -> Void
  ) {
    guard rest > 0 else { return world.after(freeAt[way, default: 0] - world.now, sent) }
    // The window moves on with each packet that has arrived; on a fast line many of them at a time.
    let step = min(rest, max(Self.packetBytes, Int(rate / 8 / 20)))
    world.after(max(1, milliseconds(step, rate))) { [self] in
      guard isWanted() else { return }
      progress()
      enqueue(step, way, rate)
      follow(rest - step, way, rate, isWanted, progress, sent)
    }
  }

  private func enqueue(_ bytes: Int, _ way: Way, _ rate: Int64) {
    freeAt[way] = max(world.now, freeAt[way, default: 0]) + milliseconds(bytes, rate)
  }

  private func milliseconds(_ bytes: Int, _ rate: Int64) -> Int64 { Int64(bytes) * 8000 / rate }

  /// How long these many bytes take one way, with nothing else in the queue.
  func milliseconds(_ bytes: Int, _ way: Way) -> Int64 {
    guard let rates else { return 0 }
    return milliseconds(bytes, way == .up ? rates.up : rates.down)
  }
}
