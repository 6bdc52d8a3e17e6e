public import Composable

extension AuthFeature {
  /// How signing in and out stands.
  ///
  /// What is typed lies in the children alone. The flat properties, `phoneNumber` to `resendCodeTimer`, are views of it.
  public struct State: Equatable, Sendable {
    /// Whether somebody is signed in.
    public var isAuthenticated: Bool
    /// Whether a request runs: a code to send or to verify; while somebody is signed in, signing out.
    public var isLoading: Bool
    /// Whether the request that runs is to sign out.
    public var isSigningOut: Bool
    /// Whether somebody is signed in is not followed at the moment: it may be out of date.
    public var isStale: Bool
    /// What went wrong, in words for the person; nil when they have read it.
    public var error: String? {
      didSet { problem = nil }
    }
    /// What kind of thing that is, where a view says more than its words; nil where it does not.
    public var problem: Problem?
    /// The question before signing out.
    @Presents public var alert: AlertState<Action.Alert>?
    /// Where the number is typed. It stays while a code is entered: another code goes to the same number.
    public var phoneEntry: PhoneEntryFeature.State?
    /// Where the code is typed; nil while none was sent, and as soon as one was accepted.
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
