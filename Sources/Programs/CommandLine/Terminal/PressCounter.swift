/// Counts the presses that raise an alert: four, each within three seconds of the one before.
///
/// It reads no clock: times are monotonic milliseconds that the caller gives.
struct PressCounter: Equatable {
  static let pressesNeeded = 4
  static let resetAfterMilliseconds: Int64 = 3000

  private(set) var presses = 0
  private var lastPressAt: Int64 = 0

  /// 0…100, in steps of 25.
  var percent: Int { presses * 100 / Self.pressesNeeded }
  var isComplete: Bool { presses >= Self.pressesNeeded }

  /// When the presses so far are forgotten; nil without any.
  var resetAt: Int64? { presses == 0 || isComplete ? nil : lastPressAt + Self.resetAfterMilliseconds }

  mutating func press(at now: Int64) {
    expire(at: now)
    presses = min(presses + 1, Self.pressesNeeded)
    lastPressAt = now
  }

  /// Forgets the presses if the last one is too long ago, and returns whether it did.
  @discardableResult
  mutating func expire(at now: Int64) -> Bool {
    guard let resetAt, now >= resetAt else { return false }
    presses = 0
    return true
  }
}
