/// Keeps a dialogue from being answered by somebody who was pressing keys when it came, and has not read it.
///
/// It takes Enter and Esc when it has been there for a moment and no key came for a while. It reads no clock: whoever has
/// one tells it when those times have passed.
package struct DialogueGuard: Hashable, Sendable {
  /// So long it is there at least.
  static let ageMilliseconds = 700
  /// For so long no key may come.
  static let pauseMilliseconds = 300

  private var isOldEnough = false
  private var hadPause = false

  package init() {}

  /// Enter and Esc mean something.
  package var takesAnswers: Bool { isOldEnough && hadPause }

  /// Keys are waited for to pause.
  package var awaitsPause: Bool { !hadPause }

  /// `ageMilliseconds` have passed since it came.
  package mutating func agePassed() { isOldEnough = true }

  /// `pauseMilliseconds` have passed since it came, or since the last key.
  package mutating func pausePassed() { hadPause = true }
}
