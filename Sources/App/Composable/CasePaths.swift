/// Converts between an enum and the payload of one of its cases.
///
/// ```swift
/// AnyCasePath(embed: Action.alert, extract: { if case .alert(let action) = $0 { action } else { nil } })
/// ```
public struct AnyCasePath<Root, Value>: Sendable {
  private let embedding: @Sendable (Value) -> Root
  private let extraction: @Sendable (Root) -> Value?

  /// - Parameters:
  ///   - embed: makes the case from its payload.
  ///   - extract: returns the payload; nil if the value is another case.
  public init(embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
    embedding = embed
    extraction = extract
  }

  /// Makes the case with the payload `value`.
  public func embed(_ value: Value) -> Root { embedding(value) }

  /// Returns the payload of the case; nil if `root` is another case.
  public func extract(from root: Root) -> Value? { extraction(root) }
}

/// An enum that lists its cases as properties, so that a key path such as `\.alert` names a case.
///
/// ```swift
/// extension Action: CasePathable {
///   struct AllCasePaths: Sendable {
///     var alert: AnyCasePath<Action, PresentationAction<Alert>> {
///       AnyCasePath(embed: Action.alert) { if case .alert(let action) = $0 { action } else { nil } }
///     }
///   }
///   static var allCasePaths: AllCasePaths { AllCasePaths() }
/// }
/// ```
public protocol CasePathable {
  /// A type with a computed property of type `AnyCasePath` for each case.
  associatedtype AllCasePaths
  /// The case paths of this enum.
  static var allCasePaths: AllCasePaths { get }
}

/// Names a case of `Root` that carries a `Value`: `\.alert`.
public typealias CaseKeyPath<Root: CasePathable, Value> = KeyPath<Root.AllCasePaths, AnyCasePath<Root, Value>>

extension CasePathable {
  /// Returns the case path that `keyPath` names.
  static func casePath<Value>(_ keyPath: CaseKeyPath<Self, Value>) -> AnyCasePath<Self, Value> {
    allCasePaths[keyPath: keyPath]
  }

  /// The payload if this value is the case that `keyPath` names; otherwise nil.
  public subscript<Value>(case keyPath: CaseKeyPath<Self, Value>) -> Value? {
    Self.casePath(keyPath).extract(from: self)
  }

  /// Whether this value is the case that `keyPath` names.
  public func `is`<Value>(_ keyPath: CaseKeyPath<Self, Value>) -> Bool {
    self[case: keyPath] != nil
  }
}
