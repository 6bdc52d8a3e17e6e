/// Distinguishes presses of a key from the keyboard's repeats, so that an object on the key raises no alert.
///
/// A terminal sends both alike: a held key comes as one press, a second after the keyboard's delay, and then many in quick or very
/// even succession. So the first repeats count as presses until the pattern shows; then as many real presses are ignored. Several
/// presses that arrive together, with nothing before them, are all real: a slow connection delivers them so. In doubt a press
/// counts: an alert that cannot be raised is worse than one too many.
///
/// It reads no clock: times are monotonic milliseconds that the caller gives.
package struct KeyRepeatFilter: Hashable, Sendable {
  /// The longest delay before a keyboard starts repeating.
  static let firstRepeatMilliseconds: ClosedRange<Int64> = 150...1100
  /// Most keyboards repeat faster than this; fingers do not.
  static let quickGapMilliseconds: Int64 = 60
  /// Slow keyboards repeat within this time, and more evenly than fingers.
  static let slowGapMilliseconds: Int64 = 130
  static let evenMilliseconds: Int64 = 6
  /// After this silence the taps are forgotten, and so are the presses still to be ignored.
  static let forgetAfterMilliseconds: Int64 = 3000
  /// Required silence of the key after `waitForPause()`.
  static let pauseMilliseconds: Int64 = 1000

  private enum Phase: Hashable, Sendable {
    /// Nothing looks like a repeat.
    case presses
    /// The last press came when a first repeat would.
    case maybeFirstRepeat
    /// The press after it came after this gap: two equal gaps would be a slow keyboard.
    case maybeSlowRepeat(gap: Int64)
    case repeating(gap: Int64, wasHeldUp: Bool)
  }

  private var phase = Phase.presses
  private var lastAt: Int64?
  private var owed = 0
  private var wait: LetGoWait?

  package init() {}

  /// Ignores the key until it is released: holding it to end an alert must not raise the next one.
  package mutating func waitForPause() { wait = LetGoWait() }

  /// Whether it waits for the key to be released.
  package var isWaitingForPause: Bool { wait != nil }

  /// Whether the key still comes meanwhile.
  package var mustBeLetGo: Bool { wait?.wasTold == true }

  /// The key did not come for `pauseMilliseconds`.
  package mutating func pausePassed() { if wait != nil { self = Self() } }

  /// The key came at `now`. Returns whether it counts as a press.
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

  /// A single delayed repeat is still a repeat. Two are a person.
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

  /// The key turns out to be held: what counted before was not a press.
  private mutating func repeats(_ gap: Int64, countedBefore: Int) -> Bool {
    phase = .repeating(gap: gap, wasHeldUp: false)
    owed += countedBefore
    return false
  }

  /// Counts a press, unless a repeat was counted before.
  private mutating func settle() -> Bool {
    guard owed > 0 else { return true }
    owed -= 1
    return false
  }
}
