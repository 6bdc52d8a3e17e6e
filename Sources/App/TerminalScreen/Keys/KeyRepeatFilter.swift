/// Tells presses of a key from what the keyboard adds while it is held down, so that something that lies on the key raises
/// no alert.
///
/// A terminal tells neither apart: a held key comes as one press, after the keyboard's delay a second, and from then on many
/// in quick or very even succession. So the first repeats are taken for presses before that shows; they are made up for by
/// leaving out as many real ones. Several presses that arrive in one piece, with nothing before them, are all real: a
/// slow connection brings them so. In doubt a press counts: an alert that cannot be raised is worse than one too many.
///
/// It reads no clock: times are monotonic milliseconds that the caller gives.
package struct KeyRepeatFilter: Hashable, Sendable {
  /// Within this time after a press a keyboard may begin to repeat it.
  static let firstRepeatMilliseconds: ClosedRange<Int64> = 150...1100
  /// Repeats of most keyboards follow one another sooner than this; fingers do not.
  static let quickGapMilliseconds: Int64 = 60
  /// Those of slow keyboards come later, but not later than this, and more evenly than fingers.
  static let slowGapMilliseconds: Int64 = 130
  static let evenMilliseconds: Int64 = 6
  /// When the taps so far are forgotten, so is what is to be made up for.
  static let forgetAfterMilliseconds: Int64 = 3000
  /// For so long the key must be left alone after `waitForPause()`.
  static let pauseMilliseconds: Int64 = 1000

  private enum Phase: Hashable, Sendable {
    /// Nothing looks like a repeat.
    case presses
    /// The last one came when a first repeat would.
    case maybeFirstRepeat
    /// The one after it came after this gap: two of a kind would be a slow keyboard.
    case maybeSlowRepeat(gap: Int64)
    case repeating(gap: Int64, wasHeldUp: Bool)
  }

  private var phase = Phase.presses
  private var lastAt: Int64?
  private var owed = 0
  private var wait: LetGoWait?

  package init() {}

  /// Nothing counts until the key was let go: whoever ends an alert by holding the key must not raise the next one with it.
  package mutating func waitForPause() { wait = LetGoWait() }

  /// The key is waited for to be let go.
  package var isWaitingForPause: Bool { wait != nil }

  /// It goes on coming meanwhile.
  package var mustBeLetGo: Bool { wait?.wasTold == true }

  /// The key was not told for `pauseMilliseconds`.
  package mutating func pausePassed() { if wait != nil { self = Self() } }

  /// Takes in that the key was told at `now`. Says whether it counts as a press.
  package mutating func isPress(at now: Int64) -> Bool {
    defer { lastAt = now }
    let gap = lastAt.map { now - $0 } ?? .max
    if wait != nil {
      guard wait?.isLetGo(after: gap) == true else { return false }
      self = Self()
      return true
    }
    guard gap < Self.forgetAfterMilliseconds else {
      self = Self()
      return true
    }
    if case .repeating = phase { return isPressWhileRepeating(gap) }
    return isPressBeforeRepeats(gap)
  }

  private mutating func isPressBeforeRepeats(_ gap: Int64) -> Bool {
    switch phase {
    case .maybeFirstRepeat where gap < Self.quickGapMilliseconds:
      return repeats(gap, countedBefore: 1)
    case .maybeFirstRepeat where gap <= Self.slowGapMilliseconds:
      phase = .maybeSlowRepeat(gap: gap)
    case .maybeSlowRepeat(let before) where abs(gap - before) <= Self.evenMilliseconds:
      return repeats(gap, countedBefore: 2)
    default:
      phase = Self.firstRepeatMilliseconds.contains(gap) ? .maybeFirstRepeat : .presses
    }
    return settle()
  }

  /// One repeat that is held up on its way is still one. Two are a person.
  private mutating func isPressWhileRepeating(_ gap: Int64) -> Bool {
    guard case .repeating(let usual, let wasHeldUp) = phase else { return true }
    let isUsual = gap < Self.quickGapMilliseconds || abs(gap - usual) <= Self.evenMilliseconds
    if isUsual || (!wasHeldUp && gap < Self.firstRepeatMilliseconds.lowerBound) {
      phase = .repeating(gap: usual, wasHeldUp: !isUsual)
      return false
    }
    phase = Self.firstRepeatMilliseconds.contains(gap) ? .maybeFirstRepeat : .presses
    return settle()
  }

  /// It shows that the key is held: what counted before was no press.
  private mutating func repeats(_ gap: Int64, countedBefore: Int) -> Bool {
    phase = .repeating(gap: gap, wasHeldUp: false)
    owed += countedBefore
    return false
  }

  /// A press counts, unless one before counted that was none.
  private mutating func settle() -> Bool {
    guard owed > 0 else { return true }
    owed -= 1
    return false
  }
}
