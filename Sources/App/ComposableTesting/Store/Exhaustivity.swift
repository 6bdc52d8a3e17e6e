/// How much of a feature's behavior a test must assert.
public enum Exhaustivity: Hashable, Sendable {
  /// Everything: each change of the state, each action from an effect, and the end of each effect.
  case on
  /// Checks only the assertions that the test makes. With `showSkippedAssertions`, omitted ones are reported as
  /// warnings.
  case off(showSkippedAssertions: Bool)

  /// Checks only the assertions that the test makes, without warnings for omitted ones.
  public static let off = Exhaustivity.off(showSkippedAssertions: false)
}
