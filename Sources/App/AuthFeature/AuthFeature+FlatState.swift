public import Model

/// The flat properties of the design documents. Reading gives a child's value, or the initial value without a child; writing the initial
/// value without a child does nothing, and writing any other value creates the child.
extension AuthFeature.State {
  /// The number as it was typed.
  public var phoneNumber: String {
    get { entry.phoneNumber }
    set { entry.phoneNumber = newValue }
  }

  /// The region of the number.
  public var selectedRegion: Region {
    get { entry.selectedRegion }
    set { entry.selectedRegion = newValue }
  }

  /// Whether a code can be sent to the number.
  public var isPhoneNumberValid: Bool {
    get { entry.isPhoneNumberValid }
    set { entry.isPhoneNumberValid = newValue }
  }

  /// Whether a code was sent and is awaited. Setting it to false removes everything about the code.
  public var isVerificationCodeSent: Bool {
    get { verification != nil }
    set { verification = newValue ? entered : nil }
  }

  /// The code as it was typed.
  public var verificationCode: String {
    get { entered.verificationCode }
    set { entered.verificationCode = newValue }
  }

  /// Whether the code is six digits.
  public var isVerificationCodeValid: Bool {
    get { entered.isVerificationCodeValid }
    set { entered.isVerificationCodeValid = newValue }
  }

  /// The id of the verification on the server.
  public var verificationID: String? {
    get { entered.verificationID }
    set { entered.verificationID = newValue }
  }

  /// Whether another code may be asked for.
  public var canResendCode: Bool {
    get { entered.canResendCode }
    set { entered.canResendCode = newValue }
  }

  /// The seconds until then.
  public var resendCodeTimer: Int {
    get { entered.resendCodeTimer }
    set { entered.resendCodeTimer = newValue }
  }
}

extension AuthFeature.State {
  /// The number's child, or what it begins with.
  var entry: PhoneEntryFeature.State {
    get { phoneEntry ?? PhoneEntryFeature.State() }
    set { if phoneEntry != nil || newValue != PhoneEntryFeature.State() { phoneEntry = newValue } }
  }

  /// The code's child, or what it begins with.
  private var entered: VerificationFeature.State {
    get { verification ?? VerificationFeature.State() }
    set { if verification != nil || newValue != VerificationFeature.State() { verification = newValue } }
  }

  /// Where a code would be sent.
  var destination: Destination { Destination(phoneNumber: phoneNumber, region: selectedRegion) }

  struct Destination: Equatable, Sendable {
    let phoneNumber: String
    let region: Region
  }
}
