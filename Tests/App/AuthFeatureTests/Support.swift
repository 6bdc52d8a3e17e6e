import AppModel
import AuthFeature
import Clients
import Composable
import ComposableTesting
import Dependencies
import Foundation
import SystemKit

/// An error with a text for a person, of a request that the server has answered.
func refusal(_ words: String) -> some Error { RequestFailure(words: words, isRefusal: true) }

/// An error with a text for a person, of a request that the server has not answered.
func outage(_ words: String) -> some Error { RequestFailure(words: words, isRefusal: false) }

private struct RequestFailure: ServerRequestError, LocalizedError, Hashable {
  let words: String
  let isRefusal: Bool

  var errorDescription: String? { words }
}

/// Waits until its task is cancelled.
func suspendUntilCancelled() async throws -> Never {
  let (stream, continuation) = AsyncStream<Never>.makeStream()
  for await _ in stream {}
  withExtendedLifetime(continuation) {}
  throw CancellationError()
}

/// An answer that a test gives at any time, even to a task that was cancelled long before.
final class LateAnswer<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var waiting: CheckedContinuation<Value, Never>?
    var arrivals: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  /// The answer that the test will give.
  func wait() async -> Value {
    await withCheckedContinuation { continuation in
      let arrivals = state.withLock { state in
        state.waiting = continuation
        defer { state.arrivals = [] }
        return state.arrivals
      }
      for arrival in arrivals { arrival.resume() }
    }
  }

  /// Returns when somebody waits.
  func arrival() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.waiting == nil { state.arrivals.append(continuation) }
        return state.waiting != nil
      }
      if isThere { continuation.resume() }
    }
  }

  /// Gives it.
  func give(_ value: Value) {
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: value)
  }
}

/// The number of calls, and their arguments.
final class Calls<Value: Sendable>: Sendable {
  private let list = Lock<[Value]>([])

  var all: [Value] { list.withLock { $0 } }
  var count: Int { all.count }

  func note(_ value: Value) { list.withLock { $0.append(value) } }
}

extension AuthFeature.State {
  /// With a valid number.
  static var withNumber: Self {
    Self(phoneEntry: PhoneEntryFeature.State(phoneNumber: "2025550123", isPhoneNumberValid: true))
  }

  /// At the code entry, `seconds` before another code may be requested.
  static func codeSent(code: String = "", seconds: Int = 60) -> Self {
    var state = withNumber
    state.verification = VerificationFeature.State(
      verificationID: "verification-id", verificationCode: code, isVerificationCodeValid: code.utf8.count == 6,
      canResendCode: seconds == 0, resendCodeTimer: seconds)
    return state
  }

  /// Signed in.
  static var signedIn: Self {
    var state = withNumber
    state.isAuthenticated = true
    return state
  }

  /// Signed in, with the question whether to sign out.
  static var asked: Self {
    var state = signedIn
    state.alert = signOutQuestion
    return state
  }

  /// The seed's question, word for word.
  static var signOutQuestion: AlertState<AuthFeature.Action.Alert> {
    AlertState {
      TextState("Sign Out")
    } actions: {
      ButtonState(role: .destructive, action: .confirmSignOut) {
        TextState("Sign Out")
      }
      ButtonState(role: .cancel, action: .dismissSignOutConfirmation) {
        TextState("Cancel")
      }
    } message: {
      TextState("Are you sure you want to sign out?")
    }
  }
}

extension PendingItems {
  /// Nothing would be lost.
  static var nothing: Self { Self(SignOutLosses()) }
}

typealias AuthStore = TestStore<AuthFeature.State, AuthFeature.Action>

/// A store that starts with `state` and uses `client`, on a device where signing out would lose `losing`, if given.
@MainActor
func authStore(
  _ state: AuthFeature.State, _ client: AuthClient = .mock(), clock: (any Clock<Duration>)? = nil,
  losing items: PendingItems? = nil
) -> AuthStore {
  TestStore(initialState: state) {
    AuthFeature()
  } withDependencies: {
    $0.authClient = client
    if let items {
      $0.authClient.signOutLosses = { items.losses }
    }
    if let clock { $0.continuousClock = clock }
  }
}
