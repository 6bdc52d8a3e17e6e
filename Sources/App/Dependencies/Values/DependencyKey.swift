/// Identifies a dependency, and provides its value for tests that do not set it.
///
/// ```swift
/// extension WeatherClient: TestDependencyKey {
///   static let testValue = WeatherClient(today: { try unimplemented("WeatherClient.today") })
/// }
///
/// extension DependencyValues {
///   var weatherClient: WeatherClient {
///     get { self[WeatherClient.self] }
///     set { self[WeatherClient.self] = newValue }
///   }
/// }
/// ```
///
/// The live value may be in another module, which then extends the key with ``DependencyKey``. There is no default test
/// value, because one that silently used the live value would be worse than none.
public protocol TestDependencyKey<Value>: Sendable {
  /// The type of the dependency.
  associatedtype Value: Sendable = Self

  /// The value in a test that does not set it: usually one whose endpoints all report an issue.
  static var testValue: Value { get }
}

/// A dependency with a live value for apps.
public protocol DependencyKey<Value>: TestDependencyKey {
  /// The value in an app. It is made once for each `DependencyValues`, when it is first read.
  static var liveValue: Value { get }
}
