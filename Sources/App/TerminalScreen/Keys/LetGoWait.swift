/// Waits until a key that was held has been let go: it is left alone for a while, or it comes as fingers press it, which a
/// held key never does. Somebody who hammers on it is not kept waiting.
struct LetGoWait: Hashable, Sendable {
  /// How far a person's gap is from the one that is usual, at least.
  private static let unevenMilliseconds: Int64 = 25
  private static let windowCount = 7

  private var gaps: [Int64] = []
  /// The gap before, where it was uneven.
  private var uneven: Int64?

  /// The key came since the wait began.
  var wasTold: Bool { !gaps.isEmpty }

  /// Takes in that the key was told `gap` milliseconds after the last time.
  mutating func isLetGo(after gap: Int64) -> Bool {
    if gap >= KeyRepeatFilter.pauseMilliseconds { return true }
    let usual = gaps.isEmpty ? gap : gaps.sorted()[gaps.count / 2]
    let isUneven = gap >= RepeatRhythm.quickGapMilliseconds && abs(gap - usual) >= Self.unevenMilliseconds
    // A repeat that was held up on its way comes late, and the next so much the sooner.
    let isPair = uneven.map { abs($0 + gap - 2 * usual) >= Self.unevenMilliseconds } ?? false
    defer { uneven = isUneven ? gap : nil }
    gaps.append(gap)
    if gaps.count > Self.windowCount { gaps.removeFirst() }
    return isUneven && isPair
  }
}
