import Synchronization
import TestSupport

/// Random numbers that are the same for the same seed.
///
/// Each part of a run has a stream of its own, named, so that one more draw in one part changes nothing in another.
package struct SimulatedRandom: RandomNumberGenerator, Sendable {
  private var source: SeededRandom

  package init(seed: UInt64) {
    source = SeededRandom(seed: seed)
  }

  /// The stream of `name` in the run of `seed`.
  package init(seed: UInt64, stream name: String) {
    var hash = TraceHash()
    hash.add(name)
    self.init(seed: seed &+ hash.value)
    _ = next()
  }

  package mutating func next() -> UInt64 { source.next() }

  /// Evenly spread over 0..<1.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// True so often, in the long run.
  mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[Int(next() % UInt64(elements.count))] }

  /// A time until something that happens so often on the average (exponential), at least 1 ms.
  mutating func wait(meanMilliseconds: Int64) -> Int64 {
    max(1, Int64(-Double(meanMilliseconds) * SimulatedRandom.logarithm(1 - fraction())))
  }

  /// The natural logarithm of 0…1, by its series after halving: the same bits on every machine.
  private static func logarithm(_ value: Double) -> Double {
    var exponent = 0.0
    var mantissa = max(value, 0x1p-53)
    while mantissa < 0.75 {
      mantissa *= 2
      exponent -= 1
    }
    let ratio = (mantissa - 1) / (mantissa + 1)
    var power = ratio
    var sum = 0.0
    for step in stride(from: 1.0, through: 19, by: 2) {
      sum += power / step
      power *= ratio * ratio
    }
    return 2 * sum + exponent * 0.693_147_180_559_945_3
  }
}

/// The same for closures that may be called from anywhere, as the store's source of ids is.
final class SharedRandom: Sendable {
  private let random: Mutex<SimulatedRandom>

  init(_ random: SimulatedRandom) {
    self.random = Mutex(random)
  }

  func words() -> (UInt64, UInt64) {
    random.withLock { ($0.next(), $0.next()) }
  }
}

/// The most that one transaction of a store has done under its lock, in instructions of SQLite's machine.
final class WorkCount: Sendable {
  private let count = Mutex(0)

  var most: Int { count.withLock { $0 } }

  func note(_ work: Int) { count.withLock { $0 = max($0, work) } }
}
