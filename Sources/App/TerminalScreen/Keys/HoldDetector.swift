/// Detects that a key is held down, from what a terminal sends: the press, after a delay a first repeat, then many.
///
/// A hold begins with a press after a pause, so that pressing on after the alert was raised does not end it. It lasts only while the
/// key repeats as a keyboard repeats it, so that frantic presses do not end it either. In doubt the hold ends: an alert can also be
/// ended by a question.
///
/// It reads no clock: times are monotonic milliseconds that the caller gives.
package struct HoldDetector: Hashable, Sendable {
  package enum Change: Hashable, Sendable { case began, ended }

  /// Required silence of the key before a hold.
  static let pauseMilliseconds: Int64 = 1000
  /// Keyboards start repeating after 250 to 1,000 ms.
  static let firstRepeatWithinMilliseconds: Int64 = 1100
  /// Slow keyboards repeat about four times a second, and connections deliver repeats in bursts.
  static let nextRepeatWithinMilliseconds: Int64 = 350

  private var lastAt: Int64?
  /// Nil until the first repeat: the gap before that is the keyboard's delay.
  private var rhythm: RepeatRhythm?
  /// When the hold ends unless the key comes before; nil without a hold.
  package private(set) var endsAt: Int64?

  package init() {}

  package var isHolding: Bool { endsAt != nil }

  /// The key came at `now`. With `mayBegin` false no hold begins, but the time is recorded.
  package mutating func keyTold(at now: Int64, mayBegin: Bool) -> Change? {
    let before = lastAt
    lastAt = now
    if let endsAt, let before {
      guard now < endsAt, isLikeARepeat(after: now - before) else { return end() }
      self.endsAt = now + Self.nextRepeatWithinMilliseconds
      return nil
    }
    if let before, now - before < Self.pauseMilliseconds { return nil }
    guard mayBegin else { return nil }
    rhythm = nil
    endsAt = now + Self.firstRepeatWithinMilliseconds
    return .began
  }

  private mutating func isLikeARepeat(after gap: Int64) -> Bool {
    guard var rhythm else {
      self.rhythm = RepeatRhythm()
      return true
    }
    rhythm.add(gap)
    self.rhythm = rhythm
    return rhythm.isKeyboard
  }

  /// Ends the hold if the key did not come in time.
  package mutating func expire(at now: Int64) -> Change? {
    guard let endsAt, now >= endsAt else { return nil }
    return end()
  }

  /// Ends the hold at any time; nil without a hold.
  package mutating func letGo() -> Change? { endsAt == nil ? nil : end() }

  private mutating func end() -> Change {
    endsAt = nil
    return .ended
  }
}
