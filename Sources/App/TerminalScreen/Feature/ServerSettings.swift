package import LifeSignalFeatures

/// Whether this device knows where its server is.
package struct ServerSettings: Sendable {
  package var isServerNamed: @Sendable () async -> Bool

  package init(isServerNamed: @escaping @Sendable () async -> Bool) { self.isServerNamed = isServerNamed }
}

extension ServerSettings: TestDependencyKey {
  /// Fails the test with the endpoint's name.
  package static let testValue = Self(
    isServerNamed: { unimplemented("ServerSettings.isServerNamed", placeholder: true) })
}

extension DependencyValues {
  package var serverSettings: ServerSettings {
    get { self[ServerSettings.self] }
    set { self[ServerSettings.self] = newValue }
  }
}
