import Model
import PhoneNumbers
import Secrets
import Wire

/// One-time codes: six digits to a telephone.
enum Verifications {
  static let codeDigits = 6

  /// `POST /v1/auth/verifications`. Nothing here looks whether the number has an account, so that neither the answer nor its
  /// time can tell.
  static func request(_ context: inout RequestContext) throws -> ServerResponse {
    let body = try context.body(VerificationRequest.self)
    if let reason = PhoneNumber.unavailability() {
      context.remark = "a sign-in was refused, for phone numbers cannot be checked: \(reason)"
      return .problem(unavailable)
    }
    let number = try phoneNumber(body)
    if let refusal = try tooSoon(number, context) { return refusal }
    let limits = CodeLimits(number: number, context)
    if let milliseconds = try limits.waitMilliseconds(context) {
      return refusal(milliseconds, "Too many codes were asked for.")
    }
    try limits.count(context)
    return .json(try send(to: number, &context).json(), status: 201)
  }

  /// What the store keeps of a code: useless for another request, and no shorter to guess than by asking the server.
  static func codeHash(_ code: String, verification id: String, _ keys: ServerKeys) -> [UInt8] {
    keys.hash(Array("\(id)\0\(code)".utf8), for: .oneTimeCode)
  }

  private static func phoneNumber(_ body: VerificationRequest) throws(Problem) -> PhoneNumber {
    do {
      return try PhoneNumber.parse(body.phone, region: body.region)
    } catch {
      switch error {
      case .invalid(let invalid): throw Problem(.invalidPhoneNumber, invalid.message)
      case .unavailable: throw unavailable
      }
    }
  }

  /// The fault is the server's and needs its operator.
  static let unavailable = Problem(
    .unavailable, "The server cannot check phone numbers, so nobody can sign in. Its operator can fix this.")

  private static func tooSoon(_ number: PhoneNumber, _ context: RequestContext) throws -> ServerResponse? {
    let resendAt = try context.transaction.latestResend(phone: number.e164, upTo: context.now)
    guard let resendAt, context.now < resendAt else { return nil }
    return refusal(resendAt.milliseconds(since: context.now), "A code was sent a moment ago.")
  }

  private static func refusal(_ milliseconds: Int64, _ reason: String) -> ServerResponse {
    let seconds = Int(clamping: (milliseconds + 999) / 1000)
    let wait = seconds <= 120 ? "\(seconds) seconds" : "\((seconds + 59) / 60) minutes"
    return .problem(
      Problem(.rateLimited, "\(reason) Ask for another in \(wait)."), retryAfterSeconds: max(1, seconds))
  }

  private static func send(to number: PhoneNumber, _ context: inout RequestContext) throws -> VerificationResponse {
    let limits = context.configuration.authentication
    let id = "vrf_" + Base64URL.encode(context.entropy.bytes(16))
    let code = newCode(&context.entropy)
    let verification = VerificationRecord(
      id: id, phone: number.e164, codeHash: codeHash(code, verification: id, context.keys), createdAt: context.now,
      resendAt: context.now.advanced(byMilliseconds: limits.resendDelayMilliseconds),
      expiresAt: context.now.advanced(byMilliseconds: limits.codeLifetimeMilliseconds))
    try context.transaction.insertVerification(verification)
    context.codes.append(CodeMessage(phone: number.e164, code: code, text: text(code, limits)))
    return VerificationResponse(verificationID: id, expiresAt: verification.expiresAt, resendAt: verification.resendAt)
  }

  private static func newCode(_ entropy: inout Entropy) -> String {
    let digits = String(entropy.number(below: 1_000_000))
    return String(repeating: "0", count: codeDigits - digits.utf8.count) + digits
  }

  private static func text(_ code: String, _ limits: AuthenticationLimits) -> String {
    let minutes = limits.codeLifetimeMilliseconds / 60_000
    return "Your LifeSignal code is \(code). It works once, for \(minutes) minutes. Tell it to nobody."
  }
}
