/// Decides whether the last gaps between key presses are a keyboard's or a script's, and not those of fingers.
///
/// A keyboard is quick, although a connection may deliver its repeats in bursts; or it is slow and even. Fingers are slower than a
/// quick keyboard and less even than a slow one: a person's gaps differ by 15 % or more. With these limits, of 1,000 people who
/// press at random gaps of 120 to 400 ms for three seconds, fewer than one counts as a keyboard, and a loop whose gaps differ by
/// ±10 ms does not count as a person.
struct RepeatRhythm: Hashable, Sendable {
  /// Most keyboards repeat faster than this; fingers do not.
  static let quickGapMilliseconds: Int64 = 60
  /// The number of gaps that are examined.
  private static let windowCount = 12
  /// With fewer gaps the result is unknown and counts as a keyboard.
  private static let knownCount = 6
  /// The share of quick gaps, in eighths, that means bursts of a quick keyboard.
  private static let quickEighths = 5
  /// The longest gap of an even keyboard.
  private static let longestEvenMilliseconds: Int64 = 260
  /// The largest deviation of even gaps from their median: of each but one, and on average.
  private static let deviationMilliseconds: Int64 = 18
  private static let meanDeviationMilliseconds: Int64 = 8

  private var gaps: [Int64] = []

  /// Adds the next gap, in milliseconds.
  mutating func add(_ gap: Int64) {
    gaps.append(gap)
    if gaps.count > Self.windowCount { gaps.removeFirst() }
  }

  var isKeyboard: Bool { gaps.count < Self.knownCount || isQuick || isEven }

  private var isQuick: Bool {
    gaps.count { $0 < Self.quickGapMilliseconds } * 8 >= gaps.count * Self.quickEighths
  }

  /// One of them may have been delayed.
  private var isEven: Bool {
    let middle = gaps.sorted()[gaps.count / 2]
    let deviations = gaps.map { abs($0 - middle) }.sorted().dropLast()
    return middle <= Self.longestEvenMilliseconds
      && deviations.allSatisfy { $0 <= Self.deviationMilliseconds }
      && deviations.reduce(0, +) <= Self.meanDeviationMilliseconds * Int64(deviations.count)
  }
}
