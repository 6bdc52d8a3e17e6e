public import AppModel
public import Dependencies

/// The person who is signed in on this device.
public struct UserClient: Sendable {
  /// The person who is signed in, if any.
  public var currentUser: @Sendable () async throws -> User?

  /// The person who is signed in: now, and again after each change. The stream ends when the task that reads it is cancelled.
  public var observeUser: @Sendable () -> AsyncStream<User?>

  /// Sets the name that the person's responders read in every message: saved on this device, also before the first sign-in, and sent
  /// with the next exchange. Throws if it is no name.
  public var setName: @Sendable (_ name: String) async throws -> Void

  /// A client of these endpoints.
  public init(
    currentUser: @escaping @Sendable () async throws -> User?,
    observeUser: @escaping @Sendable () -> AsyncStream<User?>,
    setName: @escaping @Sendable (_ name: String) async throws -> Void
  ) {
    self.currentUser = currentUser
    self.observeUser = observeUser
    self.setName = setName
  }
}

extension UserClient: TestDependencyKey {
  /// Every endpoint fails the test with its name.
  public static let testValue = Self(
    currentUser: { try unimplemented("UserClient.currentUser") },
    observeUser: { unimplemented("UserClient.observeUser", placeholder: .finished) },
    setName: { _ in try unimplemented("UserClient.setName") }
  )

  /// A client for a test, with the endpoints that the test expects to be called; any other fails it by name.
  public static func mock(
    currentUser: @escaping @Sendable () async throws -> User? = testValue.currentUser,
    observeUser: @escaping @Sendable () -> AsyncStream<User?> = testValue.observeUser,
    setName: @escaping @Sendable (_ name: String) async throws -> Void = testValue.setName
  ) -> Self {
    Self(currentUser: currentUser, observeUser: observeUser, setName: setName)
  }
}

extension DependencyValues {
  /// The person who is signed in.
  public var userClient: UserClient {
    get { self[UserClient.self] }
    set { self[UserClient.self] = newValue }
  }
}
