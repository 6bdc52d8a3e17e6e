/// A property that is injected.
///
/// ```swift
/// struct Feature: Reducer {
///   @Dependency(\.continuousClock) var clock
/// }
/// ```
///
/// It captures the values that are current when the property is made, usually with the feature around it, and reads
/// from these wherever it is read later.
@propertyWrapper
public struct Dependency<Value: Sendable>: Sendable {
  private let keyPath: any KeyPath<DependencyValues, Value> & Sendable
  private let values: DependencyValues

  /// The dependency at `keyPath`, as it is for the task that makes the property.
  public init(_ keyPath: any KeyPath<DependencyValues, Value> & Sendable) {
    self.keyPath = keyPath
    self.values = DependencyValues.current
  }

  /// The dependency itself.
  public var wrappedValue: Value {
    values[keyPath: keyPath]
  }
}
