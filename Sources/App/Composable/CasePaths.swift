/// The two directions between an enum and one of its cases.
///
/// ```swift
/// AnyCasePath(embed: Action.alert, extract: { if case .alert(let action) = $0 { action } else { nil } })
/// ```
public struct AnyCasePath<Root, Value>: Sendable {
  private let embedding: @Sendable (Value) -> Root
  private let extraction: @Sendable (Root) -> Value?

  /// - Parameters:
  ///   - embed: makes the case from what it carries.
  ///   - extract: what the case carries; nil where the value is of another case.
  public init(embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
    embedding = embed
    extraction = extract
  }

  /// The case made of `value`.
  public func embed(_ value: Value) -> Root { embedding(value) }

  /// What the case carries; nil where `root` is of another case.
  public func extract(from root: Root) -> Value? { extraction(root) }
}

/// An enum that lists its cases as properties, so that `\.alert` can name one.
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
  /// A type with one computed `AnyCasePath` a case.
  associatedtype AllCasePaths
  /// The paths to the cases.
  static var allCasePaths: AllCasePaths { get }
}

/// Names a case of `Root` that carries a `Value`: `\.alert`.
public typealias CaseKeyPath<Root: CasePathable, Value> = KeyPath<Root.AllCasePaths, AnyCasePath<Root, Value>>

extension CasePathable {
  /// The path that `keyPath` names.
  static func casePath<Value>(_ keyPath: CaseKeyPath<Self, Value>) -> AnyCasePath<Self, Value> {
    allCasePaths[keyPath: keyPath]
  }

  /// What this value carries, where it is of the case that `keyPath` names; else nil.
  public subscript<Value>(case keyPath: CaseKeyPath<Self, Value>) -> Value? {
    Self.casePath(keyPath).extract(from: self)
  }

  /// Whether this value is of the case that `keyPath` names.
  public func `is`<Value>(_ keyPath: CaseKeyPath<Self, Value>) -> Bool {
    self[case: keyPath] != nil
  }
}
