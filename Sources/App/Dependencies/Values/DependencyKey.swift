/// Names a dependency, and says what it is in a test that sets nothing.
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
/// The live value may be in another module, which then extends the key with ``DependencyKey``. There is no test value by
/// default: one that quietly does the real thing is worse than none.
public protocol TestDependencyKey<Value>: Sendable {
  /// What is injected.
  associatedtype Value: Sendable = Self

  /// What a test has that sets nothing: usually one whose every endpoint reports an issue with its name.
  static var testValue: Value { get }
}

/// A dependency with a live value, the one that an app has.
public protocol DependencyKey<Value>: TestDependencyKey {
  /// What the app has. It is made once for each set of values, when first read.
  static var liveValue: Value { get }
}
