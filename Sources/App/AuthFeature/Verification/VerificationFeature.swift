import Clients
public import Composable
import Dependencies

/// Where a person types the code that was sent to their phone.
///
/// It stands alone as well: it counts down until another code may be asked for, erases what was typed when it is of no use
/// any more, and tells its parent by `delegate` what is to be done.
public struct VerificationFeature: Reducer, Sendable {
  /// How long after a code another one may be asked for, in seconds.
  public static let resendDelaySeconds = 60
  /// How long what was typed is kept at most: no code lives longer.
  public static let codeLifetime = Duration.seconds(600)

  /// What was sent, and what was typed.
  public struct State: Equatable, Sendable {
    /// How the server knows what was sent; nil where nothing was.
    public var verificationID: String?
    /// As it was typed, without the spaces and hyphens in it.
    public var verificationCode: String
    /// Whether it is six digits.
    public var isVerificationCodeValid: Bool
    /// Whether another code may be asked for.
    public var canResendCode: Bool
    /// The seconds until then.
    public var resendCodeTimer: Int

    /// How it stands; without arguments before any code was sent.
    public init(
      verificationID: String? = nil, verificationCode: String = "", isVerificationCodeValid: Bool = false,
      canResendCode: Bool = false, resendCodeTimer: Int = 0
    ) {
      self.verificationID = verificationID
      self.verificationCode = verificationCode
      self.isVerificationCodeValid = isVerificationCodeValid
      self.canResendCode = canResendCode
      self.resendCodeTimer = resendCodeTimer
    }

    /// Whether there is something to verify.
    public var canVerify: Bool { isVerificationCodeValid && verificationID != nil }
  }

  /// What happens there.
  public enum Action: Equatable, Sendable {
    /// A code was sent, the first or another; with the id by which it is verified.
    case codeSent(verificationID: String)
    /// The person typed; with the whole text.
    case verificationCodeChanged(String)
    /// The person wants the code verified.
    case verifyButtonTapped
    /// The person wants another code.
    case resendCodeButtonTapped
    /// The person wants to correct the number.
    case backButtonTapped
    /// A second of the countdown passed.
    case timerTick
    /// The code was refused.
    case codeRefused
    /// What was typed is too old to be accepted.
    case codeExpired
    /// For the parent.
    case delegate(Delegate)

    /// What the parent is asked to do.
    public enum Delegate: Equatable, Sendable {
      /// Verify the code.
      case verify
      /// Have another code sent.
      case resend
      /// Return to the number.
      case goBack
    }
  }

  /// What its effects are cancelled by.
  enum CancelID: Hashable, Sendable {
    case countdown, expiry
  }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.authClient) var authClient

  /// A verification on the clock that is current where it is made.
  public init() {}

  /// At least one second, of a code that is on its way already what is left of its minute.
  private func resendDelay(of verificationID: String) -> Int {
    let seconds = authClient.secondsUntilResend(of: verificationID) ?? Self.resendDelaySeconds
    return min(max(1, seconds), Self.resendDelaySeconds)
  }

  /// Counts down, judges what was typed, and asks the parent for the rest.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    switch action {
    case .codeSent(let verificationID):
      state = State(verificationID: verificationID, resendCodeTimer: resendDelay(of: verificationID))
      return .merge(countdown(), .cancel(id: CancelID.expiry))
    case .verificationCodeChanged(let code):
      state.setCode(code)
      return state.verificationCode.isEmpty ? .cancel(id: CancelID.expiry) : expiry()
    case .verifyButtonTapped:
      return state.canVerify ? .send(.delegate(.verify)) : .none
    case .resendCodeButtonTapped:
      return state.canResendCode ? .send(.delegate(.resend)) : .none
    case .backButtonTapped:
      return .send(.delegate(.goBack))
    case .timerTick:
      return state.countDown() ? .cancel(id: CancelID.countdown) : .none
    case .codeRefused, .codeExpired:
      state.setCode("")
      return .cancel(id: CancelID.expiry)
    case .delegate:
      return .none
    }
  }
}

extension VerificationFeature.State {
  fileprivate mutating func setCode(_ code: String) {
    verificationCode = VerificationCode.normalized(code)
    isVerificationCodeValid = VerificationCode.isValid(verificationCode)
  }

  /// Counts one second. Whether the countdown is over; a late tick finds it so and changes nothing.
  fileprivate mutating func countDown() -> Bool {
    guard resendCodeTimer > 0 else { return true }
    resendCodeTimer -= 1
    guard resendCodeTimer == 0 else { return false }
    canResendCode = true
    return true
  }
}
