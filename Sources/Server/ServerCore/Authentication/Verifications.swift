import Model
import PhoneNumbers
import Secrets
import Wire

/// One-time codes: six digits to a telephone.
enum Verifications {
  /// `POST /v1/auth/verifications`. Never looks up whether the number has an account, so that neither the answer nor its
  /// timing reveals it. A blocked number is answered like any other, and gets no code.
  static func request(_ input: RouteInput) throws(Problem) -> Rule<Void> {
    guard input.configuration.sendsCodes else { throw cannotSend }
    let body = try input.body(VerificationRequest.self)
    if let reason = PhoneNumber.unavailability() {
      return Rule { _, work in
        work.remark = "a sign-in was refused, for phone numbers cannot be checked: \(reason)"
        return .problem(unavailable)
      }
    }
    let number = try phoneNumber(body)
    let limits = CodeLimits(number: number, input)
    var needs = RequestNeeds()
    needs.resend = ResendNeed(phone: number.e164, upTo: input.now)
    needs.block = number.e164
    needs.rateCounts = limits.needs(at: input.now)
    return Rule(needs) { _, work in
      if let refusal = tooSoon(work) { return refusal }
      switch limits.admission(of: body.proof, to: number.e164, work) {
      case .refused(let refused):
        work.observations += refused.observations
        return refusal(refused.waitMilliseconds, refused.reason, refused.challenge)
      case .admitted(let counts, let forWork):
        work.writes.rateCounts += counts
        if forWork { work.observations.append(.codeWork(.accepted)) }
        return .json(send(to: number, &work).json(), status: 201)
      }
    }
  }

  /// What the store keeps of a code: useless for another request, and useless for guessing offline.
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

  /// A fault of the server, for its operator to fix.
  static let unavailable = Problem(
    .unavailable, "The server cannot check phone numbers, so nobody can sign in. Its operator can fix this.")

  private static let cannotSend = Problem(
    .unavailable, "this server cannot send codes yet: its operator must start it with --sms")

  private static func tooSoon(_ work: RequestWork) -> ServerResponse? {
    guard let resendAt = work.facts.latestResend, work.now < resendAt else { return nil }
    return refusal(resendAt.milliseconds(since: work.now), "A code was sent a moment ago.")
  }

  private static func refusal(
    _ milliseconds: Int64, _ reason: String, _ challenge: WorkChallenge? = nil
  ) -> ServerResponse {
    let seconds = Int(clamping: (milliseconds + 999) / 1000)
    let wait = seconds <= 120 ? "\(seconds) seconds" : "\((seconds + 59) / 60) minutes"
    var problem = Problem(.rateLimited, "\(reason) Ask for another in \(wait).")
    problem.work = challenge
    return .problem(problem, retryAfterSeconds: max(1, seconds))
  }

  private static func send(to number: PhoneNumber, _ work: inout RequestWork) -> VerificationResponse {
    let limits = work.configuration.authentication
    let id = "vrf_" + Base64URL.encode(work.entropy.bytes(16))
    let code = CodeText.code(of: id, work.keys)
    let verification = VerificationRecord(
      id: id, phone: number.e164, codeHash: codeHash(code, verification: id, work.keys), createdAt: work.now,
      resendAt: work.now.advanced(byMilliseconds: limits.resendDelayMilliseconds),
      expiresAt: work.now.advanced(byMilliseconds: limits.codeLifetimeMilliseconds))
    work.writes.newVerification = verification
    let response = VerificationResponse(
      verificationID: id, expiresAt: verification.expiresAt, resendAt: verification.resendAt)
    guard !work.facts.isBlocked else {
      work.observations.append(.codeWithheld)
      return response
    }
    let text = CodeText.message(code, expiresAt: verification.expiresAt, at: work.now)
    work.codes.append(CodeMessage(phone: number.e164, code: code, text: text))
    if work.configuration.smsGateway != nil { queue(verification, &work) }
    return response
  }

  /// Queues the code for the gateway: it is claimed with the same commit, and sent right after it.
  private static func queue(_ verification: VerificationRecord, _ work: inout RequestWork) {
    var entropy = work.entropy.stream(for: "queued code")
    work.writes.newCode = StoredCode(
      id: entropy.identifier(at: work.now), .code(verification: verification.id), phone: verification.phone,
      expiresAt: verification.expiresAt, dueAt: work.now)
    work.hasNewDeliveries = true
  }
}
