/// The dependencies that code reads with ``Dependency``.
///
/// An unset dependency has its key's live value or, in a test, its test value. That value is made when it is first
/// read, and is shared by these values and all their copies until ``context`` is set.
public struct DependencyValues: Sendable {
  /// The values of this task: those of the innermost ``withDependencies(_:operation:)``, otherwise the live ones.
  @TaskLocal package static var current = DependencyValues()

  private var values: [ObjectIdentifier: any Sendable] = [:]
  private var defaults = DefaultValues()

  /// Whether unset dependencies have live or test values. Setting it, even to the same value, discards those made so
  /// far.
  public var context: DependencyContext {
    didSet { defaults = DefaultValues() }
  }

  /// Makes values of which none is set.
  public init(context: DependencyContext = .live) {
    self.context = context
  }

  /// The value that was set for `key`, otherwise the key's own value for this ``context``.
  ///
  /// In a live context, reading a dependency without a live value reports an issue and returns the test value.
  public subscript<Key: TestDependencyKey>(key: Key.Type) -> Key.Value {
    get {
      if let value = values[ObjectIdentifier(key)] as? Key.Value { return value }
      return defaults.value(of: key, in: context)
    }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}
