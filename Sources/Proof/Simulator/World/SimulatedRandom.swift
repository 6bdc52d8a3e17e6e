import Synchronization
import TestSupport

/// Random numbers that repeat for the same seed.
///
/// Each part of a run has its own named stream, so that one more draw in one part changes nothing in another.
package struct SimulatedRandom: RandomNumberGenerator, Sendable {
  private var source: SeededRandom

  package init(seed: UInt64) {
    source = SeededRandom(seed: seed)
  }

  /// The stream `name` of the run with this seed.
  package init(seed: UInt64, stream name: String) {
    var hash = TraceHash()
    hash.add(name)
    self.init(seed: seed &+ hash.value)
    _ = next()
  }

  package mutating func next() -> UInt64 { source.next() }

  /// Uniform over 0..<1.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// True with this probability.
  mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &self) }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[Int(next() % UInt64(elements.count))] }

  /// The time until an event with this mean (exponential), at least 1 ms.
  mutating func wait(meanMilliseconds: Int64) -> Int64 {
    max(1, Int64(-Double(meanMilliseconds) * SimulatedRandom.logarithm(1 - fraction())))
  }

  /// The natural logarithm of 0…1, by its series after halving: bit-identical on every machine.
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

/// The same for closures that any thread may call, such as the store's source of ids.
final class SharedRandom: Sendable {
  private let random: Mutex<SimulatedRandom>

  init(_ random: SimulatedRandom) {
    self.random = Mutex(random)
  }

  func words() -> (UInt64, UInt64) {
    random.withLock { ($0.next(), $0.next()) }
  }
}

/// The most work that one transaction of a store did under its lock, in SQLite virtual machine instructions.
final class WorkCount: Sendable {
  private let count = Mutex(0)

  var most: Int { count.withLock { $0 } }

  func note(_ work: Int) { count.withLock { $0 = max($0, work) } }
}
