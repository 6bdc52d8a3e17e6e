import SystemKit

/// The values of unset dependencies. Each is made from its key when it is first read.
final class DefaultValues: Sendable {
  private let made = Lock<[ObjectIdentifier: any Sendable]>([:])

  /// Returns the value of `key`, always the same one. If two threads make it at the same time, both get the first.
  func value<Key: TestDependencyKey>(of key: Key.Type, in context: DependencyContext) -> Key.Value {
    let identifier = ObjectIdentifier(key)
    if let value = made.withLock({ $0[identifier] }) as? Key.Value { return value }
    // Made outside of the lock, because a key's value may itself read dependencies.
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
