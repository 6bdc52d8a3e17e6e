import Model
import PlantedBugs
import Secrets
import Wire

/// Access and refresh tokens, in generations (RFC 6749 §6, RFC 9700 §4.14.2).
///
/// Each refresh makes the next generation. Its tokens are computed from the predecessor that was shown, the server's key and
/// a salt, so the same predecessor gives *the same* successor again: a device that lost the answer, was killed before it
/// wrote it down, or asked fifty times at once, has one successor, although the store knows hashes alone.
///
/// What happens to a refresh token that was replaced:
///
/// | its successor | then |
/// |---|---|
/// | was never used | the same successor again, however late: nobody but the device can be ahead |
/// | was used, and it was last answered under 30 s ago | refused, nothing else: a delayed copy of such a request |
/// | was used | somebody has a copy: the session's tokens are revoked |
///
/// The alert key lives on after a revocation: whoever stole a token did not get it, and an alert must not wait for a sign-in.
enum Tokens {
  /// `POST /v1/auth/tokens`. A revocation is returned, not thrown: it must stay.
  static func refresh(_ context: inout RequestContext) throws -> ServerResponse {
    let body = try context.body(TokenRequest.self)
    guard let token = BearerToken(body.refreshToken), token.kind == .refresh,
      let shown = try context.transaction.tokens(refreshHash: context.keys.hash(of: token)),
      let session = try context.transaction.session(shown.sessionID)
    else { throw unknown }
    guard session.endedAt == nil else { throw Principal.revoked }
    guard context.now < shown.refreshExpiresAt else { throw expired }
    guard let replacedAt = shown.replacedAt else {
      return .json(try replace(shown, token, &context).json())
    }
    guard
      let successor = try context.transaction.tokens(session: session.id, generation: shown.generation + 1),
      context.now < successor.refreshExpiresAt
    else { throw expired }
    guard successor.firstUsedAt != nil || PlantedBug.refreshLosesSession.isPlanted else {
      return .json(try again(shown, successor, token, context).json())
    }
    if isDelayedCopy(replacedAt, successor, context) { throw delayedCopy }
    try context.endSession(session.id, endsAlertKey: false)
    return .problem(reused, headers: [HeaderField("WWW-Authenticate", "Bearer")])
  }

  /// The first generation of a session, from entropy alone.
  static func first(of session: SessionID, _ context: inout RequestContext) throws(StorageError) -> TokenResponse {
    let pair = TokenPair(
      access: BearerToken(.access, bytes: context.entropy.bytes(BearerToken.byteCount)),
      refresh: BearerToken(.refresh, bytes: context.entropy.bytes(BearerToken.byteCount)))
    let salt = context.entropy.bytes(TokenPair.saltByteCount)
    return try insert(pair, salt, generation: 1, of: session, context)
  }

  private static func replace(
    _ shown: TokenRecord, _ token: BearerToken, _ context: inout RequestContext
  ) throws(StorageError) -> TokenResponse {
    var replaced = shown
    replaced.firstUsedAt = shown.firstUsedAt ?? context.now
    replaced.replacedAt = context.now
    replaced.refreshExpiresAt = refreshExpiry(context)
    try context.transaction.updateTimes(of: replaced)
    let salt = context.entropy.bytes(TokenPair.saltByteCount)
    let pair = TokenPair(after: token, salt: salt, context.keys)
    return try insert(pair, salt, generation: shown.generation + 1, of: shown.sessionID, context)
  }

  private static func insert(
    _ pair: TokenPair, _ salt: [UInt8], generation: Int64, of session: SessionID, _ context: RequestContext
  ) throws(StorageError) -> TokenResponse {
    let record = TokenRecord(
      sessionID: session, generation: generation, accessHash: context.keys.hash(of: pair.access),
      refreshHash: context.keys.hash(of: pair.refresh), salt: salt, accessExpiresAt: accessExpiry(context),
      refreshExpiresAt: refreshExpiry(context))
    try context.transaction.insertTokens(record)
    return pair.response(expiresAt: record.accessExpiresAt)
  }

  /// The successor once more, with the times of both counted from now: the device is alive, and may lose this answer too.
  private static func again(
    _ shown: TokenRecord, _ successor: TokenRecord, _ token: BearerToken, _ context: RequestContext
  ) throws(StorageError) -> TokenResponse {
    var shown = shown
    shown.replacedAt = context.now
    shown.refreshExpiresAt = refreshExpiry(context)
    try context.transaction.updateTimes(of: shown)
    var renewed = successor
    renewed.accessExpiresAt = accessExpiry(context)
    renewed.refreshExpiresAt = refreshExpiry(context)
    try context.transaction.updateTimes(of: renewed)
    return TokenPair(after: token, salt: successor.salt, context.keys).response(expiresAt: renewed.accessExpiresAt)
  }

  /// Whether the request may be an old one that the network delivered late: its token was the last to be replaced, and that
  /// was answered just now, for the first time or again.
  private static func isDelayedCopy(
    _ replacedAt: Timestamp, _ successor: TokenRecord, _ context: RequestContext
  ) -> Bool {
    let age = context.now.milliseconds(since: replacedAt)
    return successor.replacedAt == nil && age < context.configuration.authentication.delayedCopyMilliseconds
  }

  private static func accessExpiry(_ context: RequestContext) -> Timestamp {
    context.now.advanced(byMilliseconds: context.configuration.authentication.accessTokenLifetimeMilliseconds)
  }

  private static func refreshExpiry(_ context: RequestContext) -> Timestamp {
    context.now.advanced(byMilliseconds: context.configuration.authentication.refreshTokenLifetimeMilliseconds)
  }

  private static let unknown = Problem(.unauthorized, "The server does not know this refresh token. Sign in again.")
  private static let expired = Problem(.unauthorized, "The refresh token has expired. Sign in again.")
  private static let delayedCopy = Problem(
    .unauthorized, "This refresh token was replaced a moment ago, and its successor is in use. Use the newest one.")
  private static let reused = Problem(
    .sessionRevoked, "This refresh token was used before, so somebody may have a copy of it. Sign in again.")
}

/// The two tokens of one generation, in the open.
private struct TokenPair {
  static let saltByteCount = 32

  let access: BearerToken
  let refresh: BearerToken

  init(access: BearerToken, refresh: BearerToken) {
    self.access = access
    self.refresh = refresh
  }

  /// The successor of `token` with this salt: always the same, and to be computed by nobody without the server's key.
  init(after token: BearerToken, salt: [UInt8], _ keys: ServerKeys) {
    access = BearerToken(.access, bytes: keys.hash(token.bytes + salt, for: .accessSuccessor))
    refresh = BearerToken(.refresh, bytes: keys.hash(token.bytes + salt, for: .refreshSuccessor))
  }

  func response(expiresAt: Timestamp) -> TokenResponse {
    TokenResponse(accessToken: access.text, refreshToken: refresh.text, expiresAt: expiresAt)
  }
}
