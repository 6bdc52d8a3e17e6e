/// Prevents a dialog from being answered by a key that was meant for something else when it appeared.
///
/// Enter and Esc count once the dialog has been shown for a minimum time and no key came for a while. It reads no clock: the caller
/// says when those times have passed.
package struct DialogGuard: Hashable, Sendable {
  /// Minimum display time.
  static let ageMilliseconds = 700
  /// Required key silence.
  static let pauseMilliseconds = 300

  private var isOldEnough = false
  private var hadPause = false

  package init() {}

  /// Whether Enter and Esc count.
  package var takesAnswers: Bool { isOldEnough && hadPause }

  /// Whether it waits for the keys to pause.
  package var awaitsPause: Bool { !hadPause }

  /// `ageMilliseconds` have passed since it appeared.
  package mutating func agePassed() { isOldEnough = true }

  /// `pauseMilliseconds` have passed since it appeared, or since the last key.
  package mutating func pausePassed() { hadPause = true }
}
