public import AppModel
public import Dependencies
public import Model

/// Signs in with a code that is sent to a phone, and signs out.
public struct AuthClient: Sendable {
  /// Whether somebody is signed in on this device and the session has not expired.
  public var isAuthenticated: @Sendable () async -> Bool

  /// Requests a code for a number, as a person in the region would dial it, and returns the id for `verifyCode`. Validates the number.
  /// Called as `sendVerificationCode(to:region:)`.
  public var sendVerificationCode: @Sendable (_ phoneNumber: String, _ region: Region) async throws -> String

  /// Signs in with the code that arrived. Called as `verifyCode(_:verificationID:)`.
  public var verifyCode: @Sendable (_ code: String, _ verificationID: String) async throws -> Void

  /// Ends the session on the server and removes the account's data from this device, with the losses that the person has accepted: what
  /// `signOutLosses` gave, or nil, which loses nothing unsent.
  ///
  /// Throws if more would be lost by now, and if the server cannot be told; then nothing is removed.
  public var signOut: @Sendable (_ accepting: SignOutLosses?) async throws -> Void

  /// Whether somebody is signed in: now, and again after each change, for example when the server ended the session. The stream ends
  /// when the task that reads it is cancelled.
  public var authenticationStates: @Sendable () -> AsyncStream<Bool>

  /// What signing out would lose now. Pass it to `signOut` once the person has accepted it.
  public var signOutLosses: @Sendable () async throws -> SignOutLosses

  /// The seconds until the server sends another code than that of this verification; nil if unknown, as in a test that does not set it:
  /// then it is a minute from when the code was sent. Called as `secondsUntilResend(of:)`.
  ///
  /// Less than a minute if a code was already on its way and its id was returned again.
  public var secondsUntilResend: @Sendable (_ verificationID: String) -> Int?

  /// The seconds of work, each time this device begins some to get a code while too many are asked for. The stream ends when the task that
  /// reads it is cancelled; in a test that does not set it, at once.
  public var codeWork: @Sendable () -> AsyncStream<Int>

  /// A client of these endpoints.
  public init(
    isAuthenticated: @escaping @Sendable () async -> Bool,
    sendVerificationCode: @escaping @Sendable (_ phoneNumber: String, _ region: Region) async throws -> String,
    verifyCode: @escaping @Sendable (_ code: String, _ verificationID: String) async throws -> Void,
    signOut: @escaping @Sendable (_ accepting: SignOutLosses?) async throws -> Void,
    authenticationStates: @escaping @Sendable () -> AsyncStream<Bool>,
    signOutLosses: @escaping @Sendable () async throws -> SignOutLosses,
    secondsUntilResend: @escaping @Sendable (_ verificationID: String) -> Int? = { _ in nil },
    codeWork: @escaping @Sendable () -> AsyncStream<Int> = { AsyncStream { $0.finish() } }
  ) {
    self.isAuthenticated = isAuthenticated
    self.sendVerificationCode = sendVerificationCode
    self.verifyCode = verifyCode
    self.signOut = signOut
    self.authenticationStates = authenticationStates
    self.signOutLosses = signOutLosses
    self.secondsUntilResend = secondsUntilResend
    self.codeWork = codeWork
  }

  /// The seconds until the server sends another code than that of this verification; nil if unknown.
  public func secondsUntilResend(of verificationID: String) -> Int? { secondsUntilResend(verificationID) }

  /// Requests a code for `phoneNumber`, as a person in `region` would dial it, and returns the id for `verifyCode`.
  public func sendVerificationCode(to phoneNumber: String, region: Region) async throws -> String {
    try await sendVerificationCode(phoneNumber, region)
  }

  /// Signs in with the code that arrived for `verificationID`.
  public func verifyCode(_ code: String, verificationID: String) async throws {
    try await verifyCode(code, verificationID)
  }

  /// Signs out. Throws while anything waits to be sent.
  public func signOut() async throws {
    try await signOut(nil)
  }
}

extension AuthClient: TestDependencyKey {
  /// Every endpoint fails the test with its name, except `secondsUntilResend`, which is nil, and `codeWork`, which ends at once.
  public static let testValue = Self(
    isAuthenticated: { unimplemented("AuthClient.isAuthenticated", placeholder: false) },
    sendVerificationCode: { _, _ in try unimplemented("AuthClient.sendVerificationCode") },
    verifyCode: { _, _ in try unimplemented("AuthClient.verifyCode") },
    signOut: { _ in try unimplemented("AuthClient.signOut") },
    authenticationStates: { unimplemented("AuthClient.authenticationStates", placeholder: .finished) },
    signOutLosses: { try unimplemented("AuthClient.signOutLosses") }
  )

  /// A client for a test, with the endpoints that the test expects to be called; any other fails it by name.
  public static func mock(
    isAuthenticated: @escaping @Sendable () async -> Bool = testValue.isAuthenticated,
    sendVerificationCode: @escaping @Sendable (_ phoneNumber: String, _ region: Region) async throws -> String =
      testValue.sendVerificationCode,
    verifyCode: @escaping @Sendable (_ code: String, _ verificationID: String) async throws -> Void =
      testValue.verifyCode,
    signOut: @escaping @Sendable (_ accepting: SignOutLosses?) async throws -> Void = testValue.signOut,
    authenticationStates: @escaping @Sendable () -> AsyncStream<Bool> = testValue.authenticationStates,
    signOutLosses: @escaping @Sendable () async throws -> SignOutLosses = testValue.signOutLosses,
    secondsUntilResend: @escaping @Sendable (_ verificationID: String) -> Int? = testValue.secondsUntilResend,
    codeWork: @escaping @Sendable () -> AsyncStream<Int> = testValue.codeWork
  ) -> Self {
    Self(
      isAuthenticated: isAuthenticated, sendVerificationCode: sendVerificationCode, verifyCode: verifyCode,
      signOut: signOut, authenticationStates: authenticationStates, signOutLosses: signOutLosses,
      secondsUntilResend: secondsUntilResend, codeWork: codeWork)
  }
}

extension DependencyValues {
  /// Signs in and out.
  public var authClient: AuthClient {
    get { self[AuthClient.self] }
    set { self[AuthClient.self] = newValue }
  }
}
