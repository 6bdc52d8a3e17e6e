public import AppModel
public import Dependencies

/// Tells who is signed in on this device.
public struct UserClient: Sendable {
  /// Who is signed in; nil where nobody is.
  public var currentUser: @Sendable () async throws -> User?

  /// Who is signed in: now, and again whenever that changed. The stream ends when the task that reads it is cancelled.
  public var observeUser: @Sendable () -> AsyncStream<User?>

  /// A client of these endpoints.
  public init(
    currentUser: @escaping @Sendable () async throws -> User?, observeUser: @escaping @Sendable () -> AsyncStream<User?>
  ) {
    self.currentUser = currentUser
    self.observeUser = observeUser
  }
}

extension UserClient: TestDependencyKey {
  /// Every endpoint fails the test with its name.
  public static let testValue = Self(
    currentUser: { try unimplemented("UserClient.currentUser") },
    observeUser: { unimplemented("UserClient.observeUser", placeholder: .finished) }
  )

  /// A client for a test, of the endpoints that the test expects to be called; any other fails it by name.
  public static func mock(
    currentUser: @escaping @Sendable () async throws -> User? = testValue.currentUser,
    observeUser: @escaping @Sendable () -> AsyncStream<User?> = testValue.observeUser
  ) -> Self {
    Self(currentUser: currentUser, observeUser: observeUser)
  }
}

extension DependencyValues {
  /// Tells who is signed in.
  public var userClient: UserClient {
    get { self[UserClient.self] }
    set { self[UserClient.self] = newValue }
  }
}
