public import Composable

extension AuthFeature {
  /// The state of signing in and out.
  ///
  /// Only the children hold what is typed. The flat properties, `phoneNumber` to `resendCodeTimer`, are views of it.
  public struct State: Equatable, Sendable {
    /// Whether somebody is signed in.
    public var isAuthenticated: Bool
    /// Whether a request runs: a code to send or to verify; while somebody is signed in, signing out.
    public var isLoading: Bool {
      didSet { if !isLoading { codeWorkSeconds = nil } }
    }
    /// The seconds that the device works for the code that is asked for, since too many are; nil while it does not.
    public var codeWorkSeconds: Int?
    /// Whether the request that runs is to sign out.
    public var isSigningOut: Bool
    /// Whether the sign-in state is not followed at the moment, and may be out of date.
    public var isStale: Bool
    /// The error message for the person; nil once they have read it.
    public var error: String? {
      didSet { problem = nil }
    }
    /// The kind of problem, if a view says more than the message.
    public var problem: Problem?
    /// The question before signing out.
    @Presents public var alert: AlertState<Action.Alert>?
    /// The entry of the number. It stays while a code is entered, because another code goes to the same number.
    public var phoneEntry: PhoneEntryFeature.State?
    /// The entry of the code; nil before one was sent and after one was accepted.
    public var verification: VerificationFeature.State?

    /// How it stands; without arguments at the beginning, with an empty number.
    public init(
      isAuthenticated: Bool = false, isLoading: Bool = false, error: String? = nil,
      alert: AlertState<Action.Alert>? = nil, phoneEntry: PhoneEntryFeature.State? = PhoneEntryFeature.State(),
      verification: VerificationFeature.State? = nil, isSigningOut: Bool = false, isStale: Bool = false,
      problem: Problem? = nil
    ) {
      self.isAuthenticated = isAuthenticated
      self.isLoading = isLoading
      self.error = error
      self.problem = problem
      self.alert = alert
      self.phoneEntry = phoneEntry
      self.verification = verification
      self.isSigningOut = isSigningOut
      self.isStale = isStale
    }

    /// Whether a code can be asked for.
    public var isSignInButtonEnabled: Bool { isPhoneNumberValid && !isLoading }

    /// Whether the code can be verified.
    public var isVerifyButtonEnabled: Bool { isVerificationCodeValid && !isLoading }

    /// Whether another code can be asked for.
    public var isResendButtonEnabled: Bool { canResendCode && !isLoading }

    /// The number as people write it in the region, as far as it was typed.
    public var formattedPhoneNumber: String { PhoneFormatter.format(phoneNumber, for: selectedRegion) }
  }
}
