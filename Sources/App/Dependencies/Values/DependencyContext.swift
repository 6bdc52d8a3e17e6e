/// Where the code runs, which decides what a dependency is that nobody has set.
public enum DependencyContext: Hashable, Sendable {
  /// In an app: the live value.
  case live
  /// In a test: the test value.
  case test
}
