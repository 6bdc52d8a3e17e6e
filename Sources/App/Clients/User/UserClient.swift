public import AppModel
public import Dependencies
public import Model

/// The person who is signed in on this device.
public struct UserClient: Sendable {
  /// The person who is signed in, if any.
  public var currentUser: @Sendable () async throws -> User?

  /// The person who is signed in: now, and again after each change. The stream ends when the task that reads it is cancelled.
  public var observeUser: @Sendable () -> AsyncStream<User?>

  /// What the person says of themselves, which their responders read in every message; nil if they never did.
  public var profile: @Sendable () async throws -> Profile?

  /// Sets what the person says of themselves: saved on this device, also before the first sign-in, and sent with the next exchange.
  public var setProfile: @Sendable (_ profile: Profile) async throws -> Void

  /// A client of these endpoints.
  public init(
    currentUser: @escaping @Sendable () async throws -> User?,
    observeUser: @escaping @Sendable () -> AsyncStream<User?>,
    profile: @escaping @Sendable () async throws -> Profile?,
    setProfile: @escaping @Sendable (_ profile: Profile) async throws -> Void
  ) {
    self.currentUser = currentUser
    self.observeUser = observeUser
    self.profile = profile
    self.setProfile = setProfile
  }
}

extension UserClient: TestDependencyKey {
  /// Every endpoint fails the test with its name.
  public static let testValue = Self(
    currentUser: { try unimplemented("UserClient.currentUser") },
    observeUser: { unimplemented("UserClient.observeUser", placeholder: .finished) },
    profile: { try unimplemented("UserClient.profile") },
    setProfile: { _ in try unimplemented("UserClient.setProfile") }
  )

  /// A client for a test, with the endpoints that the test expects to be called; any other fails it by name.
  public static func mock(
    currentUser: @escaping @Sendable () async throws -> User? = testValue.currentUser,
    observeUser: @escaping @Sendable () -> AsyncStream<User?> = testValue.observeUser,
    profile: @escaping @Sendable () async throws -> Profile? = testValue.profile,
    setProfile: @escaping @Sendable (_ profile: Profile) async throws -> Void = testValue.setProfile
  ) -> Self {
    Self(currentUser: currentUser, observeUser: observeUser, profile: profile, setProfile: setProfile)
  }
}

extension DependencyValues {
  /// The person who is signed in.
  public var userClient: UserClient {
    get { self[UserClient.self] }
    set { self[UserClient.self] = newValue }
  }
}
