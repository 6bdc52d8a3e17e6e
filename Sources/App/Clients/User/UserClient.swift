public import AppModel
public import Dependencies

/// The person who is signed in on this device.
public struct UserClient: Sendable {
  /// The person who is signed in, if any.
  public var currentUser: @Sendable () async throws -> User?

  /// The person who is signed in: now, and again after each change. The stream ends when the task that reads it is cancelled.
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

  /// A client for a test, with the endpoints that the test expects to be called; any other fails it by name.
  public static func mock(
    currentUser: @escaping @Sendable () async throws -> User? = testValue.currentUser,
    observeUser: @escaping @Sendable () -> AsyncStream<User?> = testValue.observeUser
  ) -> Self {
    Self(currentUser: currentUser, observeUser: observeUser)
  }
}

extension DependencyValues {
  /// The person who is signed in.
  public var userClient: UserClient {
    get { self[UserClient.self] }
    set { self[UserClient.self] = newValue }
  }
}
