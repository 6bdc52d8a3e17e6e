import Model
import Secrets
import Wire

/// Sessions: one for each sign-in of a device.
enum Sessions {
  static let maximumDeviceNameCharacters = 100

  /// `POST /v1/auth/sessions`. A refusal is returned, not thrown: the try that was counted must stay.
  static func create(_ context: inout RequestContext) throws -> ServerResponse {
    let body = try context.body(SessionRequest.self)
    let deviceName = try validatedDeviceName(body.deviceName)
    switch try phone(provenBy: body, context) {
    case .failure(let problem): return .problem(problem)
    case .success(let phone):
      let account = try accountOf(phone, &context)
      return .json(try start(account, deviceName, &context).json(), status: 201)
    }
  }

  /// `DELETE /v1/auth/sessions/current`: ends the tokens and the alert key of the session that asks. With the alert key
  /// too: where the tokens have expired or were revoked it is all that is left to show.
  static func end(_ context: inout RequestContext) throws -> ServerResponse {
    switch context.principal {
    case .session(_, let session, _), .alertKey(_, let session, _):
      try end(session, &context)
      return .noContent
    case .anonymous: throw Problem(.unauthorized, "sign in first")
    }
  }

  /// Ends a session wholly: from this transaction on neither its tokens nor its alert key are taken.
  static func end(_ session: SessionID, _ context: inout RequestContext) throws(StorageError) {
    try context.endSession(session, endsAlertKey: true)
  }

  /// The number that the code was sent to, if this is the code.
  ///
  /// The try is counted before the comparison and in the same transaction, so that no number of guesses at once makes more
  /// of them. An unknown request is compared like a known one and answered like a wrong code.
  private static func phone(
    provenBy body: SessionRequest, _ context: RequestContext
  ) throws(StorageError) -> Result<String, Problem> {
    let records = context.transaction
    let limits = context.configuration.authentication
    let verification = try records.verification(body.verificationID)
    let hash = Verifications.codeHash(digits(of: body.code), verification: body.verificationID, context.keys)
    let isRight = ConstantTime.equal(hash, verification?.codeHash ?? [UInt8](repeating: 0, count: hash.count))
    if let verification {
      if verification.usedAt != nil { return .failure(CodeProblem.used) }
      if context.now >= verification.expiresAt { return .failure(CodeProblem.expired) }
    }
    let isCounted = try records.countTry(verification: body.verificationID, limit: limits.codeTries)
    guard let verification else { return .failure(CodeProblem.wrong) }
    guard isCounted else { return .failure(CodeProblem.triesExhausted) }
    guard isRight else { return .failure(CodeProblem.wrong) }
    try records.markVerificationUsed(verification.id, at: context.now)
    return .success(verification.phone)
  }

  /// A code as a person may copy it: `123 456`, `123-456`.
  private static func digits(of code: String) -> String {
    guard code.utf8.count <= 32 else { return "" }
    return code.filter { $0 != " " && $0 != "-" }
  }

  private static func accountOf(_ phone: String, _ context: inout RequestContext) throws -> AccountRecord {
    if let account = try context.transaction.account(phone: phone) { return account }
    let account = AccountRecord(
      id: context.entropy.identifier(at: context.now), phone: phone,
      epoch: Base64URL.encode(context.entropy.bytes(16)), createdAt: context.now)
    try context.transaction.insertAccount(account)
    return account
  }

  private static func start(
    _ account: AccountRecord, _ deviceName: String, _ context: inout RequestContext
  ) throws -> SessionResponse {
    let alertKey = BearerToken(.alertKey, bytes: context.entropy.bytes(BearerToken.byteCount))
    let session = SessionRecord(
      id: context.entropy.identifier(at: context.now), accountID: account.id, deviceName: deviceName,
      alertKeyHash: context.keys.hash(of: alertKey), createdAt: context.now)
    try context.transaction.insertSession(session)
    return SessionResponse(
      tokens: try Tokens.first(of: session.id, &context), alertKey: alertKey.text,
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

/// Why a code is not taken, and what to do.
enum CodeProblem {
  static let wrong = Problem(.codeWrong, "This is not the code of this request. Look at the newest message again.")
  static let expired = Problem(.codeExpired, "The code came too late: it has expired. Ask for a new one.")
  static let used = Problem(.codeUsed, "A code works once, and this one was used. Ask for a new one.")
  static let triesExhausted = Problem(
    .codeTriesExhausted, "There were too many wrong codes, so this one works no more. Ask for a new one.")
}
