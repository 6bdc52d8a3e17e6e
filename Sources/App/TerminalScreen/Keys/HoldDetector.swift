/// Tells when a key is being held down, from what a terminal tells: the press, after a while a first repeat, then many.
///
/// A hold begins with a press after a pause, so that somebody who goes on pressing when the alert is up does not end it;
/// and it lasts only while the key comes as a keyboard repeats it, so that neither does somebody who presses in fear. In
/// doubt it ends: an alert can be ended by a question too.
///
/// It reads no clock: times are monotonic milliseconds that the caller gives.
package struct HoldDetector: Hashable, Sendable {
  package enum Change: Hashable, Sendable { case began, ended }

  /// The key must not have been told for so long before a hold.
  static let pauseMilliseconds: Int64 = 1000
  /// Keyboards begin to repeat after 250 to 1,000 ms.
  static let firstRepeatWithinMilliseconds: Int64 = 1100
  /// Slow keyboards repeat about four times a second, and connections bring it in bursts.
  static let nextRepeatWithinMilliseconds: Int64 = 350

  private var lastAt: Int64?
  /// Nil until the first repeat: the gap before that is the keyboard's delay.
  private var rhythm: RepeatRhythm?
  /// When the hold ends unless the key is told before; nil while there is none.
  package private(set) var endsAt: Int64?

  package init() {}

  package var isHolding: Bool { endsAt != nil }

  /// Takes in that the key was told at `now`. With `mayBegin` false no hold begins, but it is known when the key was told.
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

  /// Ends the hold if the key was not told in time.
  package mutating func expire(at now: Int64) -> Change? {
    guard let endsAt, now >= endsAt else { return nil }
    return end()
  }

  /// Ends the hold, whatever the time; nil where there is none.
  package mutating func letGo() -> Change? { endsAt == nil ? nil : end() }

  private mutating func end() -> Change {
    endsAt = nil
    return .ended
  }
}
