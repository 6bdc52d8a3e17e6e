import Model
import Secrets
import Wire

/// Sessions: one for each sign-in of a device.
enum Sessions {
  static let maximumDeviceNameCharacters = 100

  /// `POST /v1/auth/sessions`. A refusal is returned, not thrown, so that the counted try is committed.
  static func create(_ input: RouteInput) throws(Problem) -> Rule<Void> {
    let body = try input.body(SessionRequest.self)
    let deviceName = try validatedDeviceName(body.deviceName)
    let hash = Verifications.codeHash(digits(of: body.code), verification: body.verificationID, input.keys)
    var needs = RequestNeeds()
    needs.verification = body.verificationID
    return Rule(needs) { _, work in
      switch phone(provenBy: hash, &work) {
      case .failure(let problem): .problem(problem)
      case .success(let phone): .json(start(account(of: phone, &work), deviceName, &work).json(), status: 201)
      }
    }
  }

  /// `DELETE /v1/auth/sessions/current`: ends the tokens and the alert key of the caller's session. The alert key suffices,
  /// as the tokens may have expired or been revoked.
  static func end(_ input: RouteInput) -> Rule<Caller> {
    Rule { caller, work in
      work.endSession(caller.session, endsAlertKey: true)
      return .noContent
    }
  }

  /// The number that the code was sent to, if `hash` is that of the code.
  ///
  /// The try is counted in the same transaction, so concurrent guesses do not get around the limit. A guess for an unknown id is
  /// compared and answered like a wrong code.
  private static func phone(provenBy hash: [UInt8], _ work: inout RequestWork) -> Result<String, Problem> {
    let stored = work.facts.verification
    let isRight = ConstantTime.equal(hash, stored?.codeHash ?? [UInt8](repeating: 0, count: hash.count))
    guard var verification = stored else { return .failure(CodeProblem.wrong) }
    if verification.usedAt != nil { return .failure(CodeProblem.used) }
    if work.now >= verification.expiresAt { return .failure(CodeProblem.expired) }
    guard verification.tries < work.configuration.authentication.codeTries else {
      return .failure(CodeProblem.triesExhausted)
    }
    verification.tries += 1
    if isRight { verification.usedAt = work.now }
    work.writes.changedVerification = verification
    guard isRight else { return .failure(CodeProblem.wrong) }
    // Told only to who has the telephone.
    return work.facts.isVerifiedPhoneBlocked ? .failure(blocked) : .success(verification.phone)
  }

  private static let blocked = Problem(
    .forbidden, "This number is blocked on this server. Only its operator can change that.")

  /// Removes the separators that people type: `123 456`, `123-456`.
  private static func digits(of code: String) -> String {
    guard code.utf8.count <= 32 else { return "" }
    return code.filter { $0 != " " && $0 != "-" }
  }

  private static func account(of phone: String, _ work: inout RequestWork) -> AccountRecord {
    if let account = work.facts.verifiedAccount { return account }
    let account = AccountRecord(
      id: work.entropy.identifier(at: work.now), phone: phone, epoch: Base64URL.encode(work.entropy.bytes(16)),
      createdAt: work.now)
    work.writes.newAccount = account
    return account
  }

  private static func start(
    _ account: AccountRecord, _ deviceName: String, _ work: inout RequestWork
  ) -> SessionResponse {
    let alertKey = work.keys.token(.alertKey, of: account.id, from: work.entropy.bytes(BearerToken.byteCount))
    let session = SessionRecord(
      id: work.entropy.identifier(at: work.now), accountID: account.id, deviceName: deviceName,
      alertKeyHash: work.keys.hash(of: alertKey), createdAt: work.now)
    work.writes.newSession = session
    return SessionResponse(
      tokens: Tokens.first(of: session, &work), alertKey: alertKey.text,
      user: SessionResponse.User(id: account.id, phone: account.phone))
  }

  private static func validatedDeviceName(_ name: String) throws(Problem) -> String {
    let isText = !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    guard isText, (1...maximumDeviceNameCharacters).contains(name.count), name.utf8.count <= 400,
      name.contains(where: { !$0.isWhitespace })
    else { throw Problem(.malformedRequest, "device_name must have 1 to 100 characters, on one line") }
    return name
  }
}

/// Why a code is refused, and what to do.
enum CodeProblem {
  static let wrong = Problem(.codeWrong, "Wrong code. Use the code from the newest text message.")
  static let expired = Problem(.codeExpired, "This code has expired. Ask for a new one.")
  static let used = Problem(.codeUsed, "This code was used already. Ask for a new one.")
  static let triesExhausted = Problem(
    .codeTriesExhausted, "Too many wrong codes. Ask for a new one.")
}
