/// The environment of the code, which decides the value of an unset dependency.
public enum DependencyContext: Hashable, Sendable {
  /// An app: an unset dependency has its live value.
  case live
  /// A test: an unset dependency has its test value.
  case test
}
