import TestSupport

extension SeededRandom {
  /// A value around 0 with a standard deviation of 1: the sum of twelve uniform ones.
  mutating func normal() -> Double {
    (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
  }
}
