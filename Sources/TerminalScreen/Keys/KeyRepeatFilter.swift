/// Tells presses of a key from what the keyboard adds while it is held down, so that something that lies on the key raises
/// no alert.
///
/// A terminal tells neither apart: a held key comes as one press, after the keyboard's delay a second, and from then on many
/// in quick succession. So one of the repeats, the first, is taken for a press before that shows; it is made up for by
/// leaving out the next real one. Several presses that arrive in one piece, with nothing before them, are all real: a
/// slow connection brings them so.
///
/// It reads no clock: times are monotonic milliseconds that the caller gives.
package struct KeyRepeatFilter: Hashable, Sendable {
  /// Within this time after a press a keyboard may begin to repeat it.
  static let firstRepeatMilliseconds: ClosedRange<Int64> = 150...1100
  /// Repeats follow one another sooner than this; fingers do not.
  static let repeatGapMilliseconds: Int64 = 60
  /// When the taps so far are forgotten, so is what is to be made up for.
  static let forgetAfterMilliseconds: Int64 = 3000

  private var lastAt: Int64?
  /// The last event came so long after the one before that it may have been the first repeat.
  private var mayBeFirstRepeat = false
  private var isRepeating = false
  private var owesOne = false

  package init() {}

  /// Takes in that the key was told at `now`. Says whether it counts as a press.
  package mutating func isPress(at now: Int64) -> Bool {
    defer { lastAt = now }
    guard let lastAt, now - lastAt < Self.forgetAfterMilliseconds else {
      self = Self()
      return true
    }
    let gap = now - lastAt
    if gap < Self.repeatGapMilliseconds, isRepeating || mayBeFirstRepeat {
      owesOne = owesOne || !isRepeating
      (isRepeating, mayBeFirstRepeat) = (true, false)
      return false
    }
    // Behind repeats a new press comes after the finger has left the key, so it cannot be a first repeat itself.
    mayBeFirstRepeat = Self.firstRepeatMilliseconds.contains(gap) && !isRepeating
    isRepeating = false
    guard owesOne else { return true }
    owesOne = false
    return false
  }
}
