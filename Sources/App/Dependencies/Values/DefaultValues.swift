import SystemKit

/// The values that nobody set, each made from its key when first read.
final class DefaultValues: Sendable {
  private let made = Lock<[ObjectIdentifier: any Sendable]>([:])

  /// The one value of `key`. Where two threads make one at the same time, both get the one that came first.
  func value<Key: TestDependencyKey>(of key: Key.Type, in context: DependencyContext) -> Key.Value {
    let identifier = ObjectIdentifier(key)
    if let value = made.withLock({ $0[identifier] }) as? Key.Value { return value }
    // Outside of the lock: a key's value may itself be made of dependencies.
    let value = make(key, in: context)
    return made.withLock { made in
      if let first = made[identifier] as? Key.Value { return first }
      made[identifier] = value
      return value
    }
  }

  private func make<Key: TestDependencyKey>(_ key: Key.Type, in context: DependencyContext) -> Key.Value {
    guard context == .live else { return key.testValue }
    if let live = key as? any DependencyKey.Type, let value = liveValue(of: live) as? Key.Value { return value }
    IssueReporting.report(
      """
      The dependency '\(key)' has no live value here. Set it with 'withDependencies', import the module that makes \
      '\(key)' a 'DependencyKey', or, in a test, set the context to '.test'. The test value is used.
      """)
    return key.testValue
  }

  private func liveValue<Key: DependencyKey>(of key: Key.Type) -> any Sendable {
    key.liveValue
  }
}
