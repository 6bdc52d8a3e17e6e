import Clients
public import Composable
import Dependencies

/// Signs a person in with a code that is sent to their phone, and signs them out.
///
/// Two children hold what is typed: ``PhoneEntryFeature`` and ``VerificationFeature``. Each may be driven through its own store
/// (`store.scope(state: \.phoneEntry, action: \.phoneEntry)`) or by the flat actions and properties here, which are views of
/// the same state.
///
/// ```swift
/// let store = Store(initialState: AuthFeature.State()) { AuthFeature() }
/// store.send(.task)
/// store.send(.phoneNumberChanged("202 555 0123"))
/// store.send(.signInButtonTapped)
/// ```
///
/// Actions may come in any order. One that does not fit the state, such as an answer after back or a second tap during a request,
/// changes nothing.
public struct AuthFeature: Reducer, Sendable {
  @Dependency(\.authClient) var authClient
  @Dependency(\.alertClient) var alertClient
  @Dependency(\.continuousClock) var clock
  let phoneEntryFeature: PhoneEntryFeature
  let verificationFeature: VerificationFeature

  /// The ids that cancel its effects.
  enum CancelID: Hashable, Sendable {
    /// A code to send or to verify.
    case signIn
    /// What would be lost by signing out.
    case pendingItems
    /// Whether somebody is signed in, asked once.
    case status
    /// Whether somebody is signed in, for as long as the feature runs.
    case observation
  }

  /// A feature with the current dependencies.
  public init() {
    phoneEntryFeature = PhoneEntryFeature()
    verificationFeature = VerificationFeature()
  }

  /// The children, the dialog, and what connects them.
  public var body: some ReducerOf<Self> {
    let inner = Reduce<State, Action> { state, action in answer(action, &state) }
      .ifLet(\.phoneEntry, action: \.phoneEntry) { phoneEntryFeature }
      .ifLet(\.verification, action: \.verification) { verificationFeature }
      .ifLet(\.$alert, action: \.alert)
    Reduce { state, action in
      let destination = state.destination
      let effect = inner.reduce(into: &state, action: action)
      guard action.editsDestination, state.destination != destination else { return effect }
      return effect.merge(with: abandonSignIn(&state))
    }
  }
}

extension AuthFeature {
  /// Passes each action to its handler.
  private func answer(_ action: Action, _ state: inout State) -> Effect<Action> {
    switch action {
    case .phoneNumberChanged, .regionChanged, .signInButtonTapped, .codeWorkBegan,
      .sendVerificationCodeResponse, .phoneEntry:
      return answerPhoneEntry(action, &state)
    case .verificationCodeChanged, .verifyButtonTapped, .resendCodeButtonTapped, .timerTick, .backButtonTapped,
      .verifyCodeResponse, .verification:
      return answerVerification(action, &state)
    case .signOutButtonTapped, .pendingItemsResponse, .signOutHeldBack, .alert, .signOutResponse:
      return answerSignOut(action, &state)
    case .task, .checkAuthenticationStatus, .authenticationStatusResponse, .authenticationStatesEnded,
      .authenticationStatesResumed, .debugSignInButtonTapped:
      return answerStatus(action, &state)
    case .setError(let error):
      state.error = error
      return .none
    case .dismissError:
      state.error = nil
      return .none
    }
  }

  /// Calls a client and sends the result, unless cancelled meanwhile.
  func request<Success: Sendable>(
    _ call: @escaping @Sendable () async throws -> Success,
    answer: @escaping @Sendable (TaskResult<Success>) -> Action
  ) -> Effect<Action> {
    .run { send in
      let result = await TaskResult(catching: call)
      await send.unlessCancelled(answer(result))
    }
  }
}
