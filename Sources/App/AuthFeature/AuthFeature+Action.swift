public import Composable
public import Model

extension AuthFeature {
  /// The actions. Their values are personal and are not logged.
  public enum Action: Equatable, Sendable {
    /// The person typed a number; with the whole text.
    case phoneNumberChanged(String)
    /// The person chose a region.
    case regionChanged(Region)
    /// The person wants a code.
    case signInButtonTapped
    /// The person typed a code; with the whole text.
    case verificationCodeChanged(String)
    /// The person wants the code verified.
    case verifyButtonTapped
    /// The person wants another code.
    case resendCodeButtonTapped
    /// The person wants to sign out; they are asked first.
    case signOutButtonTapped
    /// Signs in without a number, in debug builds; in others it does nothing.
    case debugSignInButtonTapped

    /// The feature is on the screen: it follows whether somebody is signed in until its effects are cancelled.
    case task
    /// Asks once whether somebody is signed in.
    case checkAuthenticationStatus
    /// Whether somebody is signed in.
    case authenticationStatusResponse(Bool)
    /// The stream of sign-in states ended by itself, for example because the store cannot be opened. It restarts with backoff.
    case authenticationStatesEnded
    /// The stream restarted and gave a value.
    case authenticationStatesResumed
    /// The device began to work for a code, since too many are asked for; with the seconds that it takes.
    case codeWorkBegan(seconds: Int)
    /// A code was sent, with the id by which it is verified; or it was not.
    case sendVerificationCodeResponse(TaskResult<String>)
    /// The code was accepted, or not.
    case verifyCodeResponse(TaskResult<Void>)
    /// What signing out would lose.
    case pendingItemsResponse(TaskResult<PendingItems>)
    /// Signing out did not start: this would be lost, and the person was not asked about it.
    case signOutHeldBack(PendingItems)
    /// The session ended, or could not be ended.
    case signOutResponse(TaskResult<Void>)
    /// A second of the countdown passed.
    case timerTick

    /// The person wants to correct the number.
    case backButtonTapped

    /// What happens to the question before signing out.
    case alert(PresentationAction<Alert>)

    /// What happens where the number is typed.
    case phoneEntry(PhoneEntryFeature.Action)
    /// What happens where the code is typed.
    case verification(VerificationFeature.Action)

    /// Shows this message; nil dismisses it.
    case setError(String?)
    /// The person has read the message.
    case dismissError

    /// The answers to the question before signing out.
    public enum Alert: Equatable, Sendable {
      /// Sign out, unless something would be lost.
      case confirmSignOut
      /// Sign out with these losses: discard what was not sent, and leave an active alert active. Only if exactly this was asked.
      case confirmSignOutLosing(PendingItems)
      /// Stay signed in.
      case dismissSignOutConfirmation
    }
  }
}

extension AuthFeature.Action {
  /// Whether it can change where a code would be sent.
  var editsDestination: Bool {
    switch self {
    case .phoneNumberChanged, .regionChanged, .phoneEntry: true
    default: false
    }
  }
}
