/// An injected property.
///
/// ```swift
/// struct Feature: Reducer {
///   @Dependency(\.continuousClock) var clock
/// }
/// ```
///
/// It captures the dependencies that are current when the property is initialized, usually with its feature, and reads
/// its value from these.
@propertyWrapper
public struct Dependency<Value: Sendable>: Sendable {
  private let keyPath: any KeyPath<DependencyValues, Value> & Sendable
  private let values: DependencyValues

  /// Captures the dependencies of the current task.
  public init(_ keyPath: any KeyPath<DependencyValues, Value> & Sendable) {
    self.keyPath = keyPath
    self.values = DependencyValues.current
  }

  /// The value of the dependency.
  public var wrappedValue: Value {
    values[keyPath: keyPath]
  }
}
