/// How much of what happens a ``TestStore`` wants to be told of in advance.
public enum Exhaustivity: Hashable, Sendable {
  /// All: each change of the state, each action that comes back, and the end of each effect.
  case on
  /// Only what is asserted has to hold. Where `showSkippedAssertions` is set, what was left out is told as a warning.
  case off(showSkippedAssertions: Bool)

  /// Only what is asserted has to hold, and nothing is told of the rest.
  public static let off = Exhaustivity.off(showSkippedAssertions: false)
}
