/// Durations, counted by their length, as Prometheus takes them.
struct Histogram: Sendable {
  /// The upper bounds of the buckets, in seconds; behind the last one there is no bound.
  static let bounds: [Double] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 14_400,
  ]

  /// Of each bucket, without the shorter ones.
  private var counts = [Int](repeating: 0, count: bounds.count + 1)
  private(set) var sumSeconds: Double = 0

  mutating func add(seconds: Double) {
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sumSeconds += seconds
  }

  var count: Int { counts.reduce(0, +) }

  /// How many took no longer than each bound.
  var cumulative: [(bound: Double, count: Int)] {
    var total = 0
    return zip(Self.bounds, counts).map { bound, count in
      total += count
      return (bound, total)
    }
  }
}
