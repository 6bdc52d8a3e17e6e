/// Whether the gaps between what a key told last are those of a keyboard, or of a loop in a script, and not of fingers.
///
/// A keyboard is quick, though a connection may bring what it says in bursts; or it is slow and even. Fingers are slower
/// than quick and less even than slow: the gaps of somebody who presses as evenly as they can differ by 15 % or more.
/// The limits are such that of 1,000 who press at random gaps from 120 to 400 ms for three seconds less than one is taken
/// for a keyboard, and that a loop whose gaps differ by ±10 ms is not taken for a person.
struct RepeatRhythm: Hashable, Sendable {
  /// Repeats of most keyboards follow one another sooner than this; fingers do not.
  static let quickGapMilliseconds: Int64 = 60
  /// How many gaps are looked at.
  private static let windowCount = 12
  /// With fewer than these nothing is known, and it counts as a keyboard.
  private static let knownCount = 6
  /// So much of the gaps must be quick, in eighths, for bursts of a quick keyboard.
  private static let quickEighths = 5
  /// An even keyboard is not slower than this.
  private static let longestEvenMilliseconds: Int64 = 260
  /// How far even gaps are from their middle: each but one, and on average.
  private static let deviationMilliseconds: Int64 = 18
  private static let meanDeviationMilliseconds: Int64 = 8

  private var gaps: [Int64] = []

  /// Takes in the next gap, in milliseconds.
  mutating func add(_ gap: Int64) {
    gaps.append(gap)
    if gaps.count > Self.windowCount { gaps.removeFirst() }
  }

  var isKeyboard: Bool { gaps.count < Self.knownCount || isQuick || isEven }

  private var isQuick: Bool {
    gaps.count { $0 < Self.quickGapMilliseconds } * 8 >= gaps.count * Self.quickEighths
  }

  /// One of them may have been held up on its way.
  private var isEven: Bool {
    let middle = gaps.sorted()[gaps.count / 2]
    let deviations = gaps.map { abs($0 - middle) }.sorted().dropLast()
    return middle <= Self.longestEvenMilliseconds
      && deviations.allSatisfy { $0 <= Self.deviationMilliseconds }
      && deviations.reduce(0, +) <= Self.meanDeviationMilliseconds * Int64(deviations.count)
  }
}
