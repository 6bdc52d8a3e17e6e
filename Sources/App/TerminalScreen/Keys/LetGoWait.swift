/// Waits until a held key has been released: it is silent for a while, or comes as unevenly as fingers press it. So frantic presses
/// count soon.
struct LetGoWait: Hashable, Sendable {
  /// The minimum difference between a person's gap and the usual one.
  private static let unevenMilliseconds: Int64 = 25
  private static let windowCount = 7

  private var gaps: [Int64] = []
  /// The gap before, if it was uneven.
  private var uneven: Int64?

  /// Whether the key came since the wait began.
  var wasTold: Bool { !gaps.isEmpty }

  /// The key came `gap` milliseconds after the last time.
  mutating func isLetGo(after gap: Int64) -> Bool {
    if gap >= KeyRepeatFilter.pauseMilliseconds { return true }
    let usual = gaps.isEmpty ? gap : gaps.sorted()[gaps.count / 2]
    let isUneven = gap >= RepeatRhythm.quickGapMilliseconds && abs(gap - usual) >= Self.unevenMilliseconds
    // A delayed repeat comes late, and the next one that much earlier.
    let isPair = uneven.map { abs($0 + gap - 2 * usual) >= Self.unevenMilliseconds } ?? false
    defer { uneven = isUneven ? gap : nil }
    gaps.append(gap)
    if gaps.count > Self.windowCount { gaps.removeFirst() }
    return isUneven && isPair
  }
}
