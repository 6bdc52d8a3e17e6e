/// The dependencies that code reads with ``Dependency``.
///
/// What nobody has set comes from its key: the live value or, in a test, the test value. Such a value is made when first
/// read, and stays the same one for these values and all their copies, until ``context`` is set.
public struct DependencyValues: Sendable {
  /// The values of this task: those of the innermost ``withDependencies(_:operation:)`` around it, or the live ones.
  @TaskLocal package static var current = DependencyValues()

  private var values: [ObjectIdentifier: any Sendable] = [:]
  private var defaults = DefaultValues()

  /// Whether unset dependencies are live ones or test ones. Setting it forgets those made so far, even if it is the same.
  public var context: DependencyContext {
    didSet { defaults = DefaultValues() }
  }

  /// Values of which none is set.
  public init(context: DependencyContext = .live) {
    self.context = context
  }

  /// The value of `key`: what was set, or else the key's own for this ``context``.
  ///
  /// Reading a dependency that has no live value in a live context reports an issue, and gives the test value.
  public subscript<Key: TestDependencyKey>(key: Key.Type) -> Key.Value {
    get {
      if let value = values[ObjectIdentifier(key)] as? Key.Value { return value }
      return defaults.value(of: key, in: context)
    }
    set { values[ObjectIdentifier(key)] = newValue }
  }
}
