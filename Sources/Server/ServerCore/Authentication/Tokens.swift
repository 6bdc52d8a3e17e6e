import Model
import PlantedBugs
import Secrets
import Wire

/// Access and refresh tokens, in generations (RFC 6749 §6, RFC 9700 §4.14.2).
///
/// Each refresh makes the next generation. Its tokens are computed from the refresh token that was shown, the server's key and
/// a salt, so the same token gives *the same* successor again: a device that lost the answer, was killed before it
/// stored it, or asked fifty times at once, has one successor, although the store keeps only hashes.
///
/// When a replaced refresh token is shown again:
///
/// | its successor | then |
/// |---|---|
/// | was never used | the same successor again, however late: nobody else can have used it |
/// | was used, and it was last answered under 30 s ago | refused, nothing else: a delayed copy of such a request |
/// | was used | somebody else has a copy: the session's tokens are revoked |
///
/// The alert key stays valid after a revocation: a stolen token does not reveal it, and an alert must not wait for a sign-in.
enum Tokens {
  /// `POST /v1/auth/tokens`. A revocation is returned, not thrown, so that it is committed.
  static func refresh(_ input: RouteInput) throws(Problem) -> Rule<Void> {
    let body = try input.body(TokenRequest.self)
    guard let token = BearerToken(body.refreshToken), token.kind == .refresh else { throw unknown }
    var needs = RequestNeeds()
    needs.refreshHash = input.keys.hash(of: token)
    needs.namedAccount = input.keys.account(namedBy: token)
    return Rule(needs) { _, work throws(Problem) in try refresh(token, &work) }
  }

  private static func refresh(_ token: BearerToken, _ work: inout RequestWork) throws(Problem) -> ServerResponse {
    guard let facts = work.facts.refresh else { throw unknown }
    guard facts.session.endedAt == nil else { throw Credential.revoked }
    guard work.now < facts.shown.refreshExpiresAt else { throw expired }
    guard let replacedAt = facts.shown.replacedAt else {
      return .json(replace(facts, token, &work).json())
    }
    guard let successor = facts.successor, work.now < successor.refreshExpiresAt else { throw expired }
    guard successor.firstUsedAt != nil || PlantedBug.refreshLosesSession.isPlanted else {
      return .json(again(facts, successor, token, &work).json())
    }
    if isDelayedCopy(replacedAt, successor, work) { throw delayedCopy }
    work.endSession(facts.session.id, endsAlertKey: false)
    return .problem(reused, headers: [HeaderField("WWW-Authenticate", "Bearer")])
  }

  /// The first generation of a session, from entropy alone.
  static func first(of session: SessionRecord, _ work: inout RequestWork) -> TokenResponse {
    let pair = TokenPair(
      access: work.keys.token(.access, of: session.accountID, from: work.entropy.bytes(BearerToken.byteCount)),
      refresh: work.keys.token(.refresh, of: session.accountID, from: work.entropy.bytes(BearerToken.byteCount)))
    let salt = work.entropy.bytes(TokenPair.saltByteCount)
    return insert(pair, salt, generation: 1, of: session.id, &work)
  }

  private static func replace(
    _ facts: RefreshFacts, _ token: BearerToken, _ work: inout RequestWork
  ) -> TokenResponse {
    var replaced = facts.shown
    replaced.firstUsedAt = facts.shown.firstUsedAt ?? work.now
    replaced.replacedAt = work.now
    replaced.refreshExpiresAt = refreshExpiry(work)
    work.writes.changedTokens.append(replaced)
    let salt = work.entropy.bytes(TokenPair.saltByteCount)
    // A program that makes them otherwise may be asked for the same ones.
    let account = work.facts.servesOlder ? nil : facts.session.accountID
    let pair = TokenPair(after: token, salt: salt, naming: account, work.keys)
    return insert(pair, salt, generation: replaced.generation + 1, of: replaced.sessionID, &work)
  }

  private static func insert(
    _ pair: TokenPair, _ salt: [UInt8], generation: Int64, of session: SessionID, _ work: inout RequestWork
  ) -> TokenResponse {
    let record = TokenRecord(
      sessionID: session, generation: generation, accessHash: work.keys.hash(of: pair.access),
      refreshHash: work.keys.hash(of: pair.refresh), salt: salt, accessExpiresAt: accessExpiry(work),
      refreshExpiresAt: refreshExpiry(work))
    work.writes.newTokens = record
    return pair.response(expiresAt: record.accessExpiresAt)
  }

  /// Gives the successor again, with the lifetimes of both restarted, as this answer may be lost too.
  private static func again(
    _ facts: RefreshFacts, _ successor: TokenRecord, _ token: BearerToken, _ work: inout RequestWork
  ) -> TokenResponse {
    var shown = facts.shown
    shown.replacedAt = work.now
    shown.refreshExpiresAt = refreshExpiry(work)
    var renewed = successor
    renewed.accessExpiresAt = accessExpiry(work)
    renewed.refreshExpiresAt = refreshExpiry(work)
    work.writes.changedTokens += [shown, renewed]
    let pair = TokenPair(successor, after: token, of: facts.session.accountID, work.keys)
    return pair.response(expiresAt: renewed.accessExpiresAt)
  }

  /// Whether the request may be an old one that the network delivered late: its token was the last to be replaced, and that
  /// was last answered only moments ago.
  private static func isDelayedCopy(_ replacedAt: Timestamp, _ successor: TokenRecord, _ work: RequestWork) -> Bool {
    let age = work.now.milliseconds(since: replacedAt)
    return successor.replacedAt == nil && age < work.configuration.authentication.delayedCopyMilliseconds
  }

  private static func accessExpiry(_ work: RequestWork) -> Timestamp {
    work.now.advanced(byMilliseconds: work.configuration.authentication.accessTokenLifetimeMilliseconds)
  }

  private static func refreshExpiry(_ work: RequestWork) -> Timestamp {
    work.now.advanced(byMilliseconds: work.configuration.authentication.refreshTokenLifetimeMilliseconds)
  }

  private static let unknown = Problem(.unauthorized, "The server does not know this refresh token. Sign in again.")
  private static let expired = Problem(.unauthorized, "The refresh token has expired. Sign in again.")
  private static let delayedCopy = Problem(
    .unauthorized, "This refresh token was replaced a moment ago, and its successor is in use. Use the newest one.")
  private static let reused = Problem(
    .sessionRevoked, "This refresh token was used before, so somebody may have a copy of it. Sign in again.")
}

/// The two tokens of one generation, in plain text.
private struct TokenPair {
  static let saltByteCount = 32

  let access: BearerToken
  let refresh: BearerToken

  init(access: BearerToken, refresh: BearerToken) {
    self.access = access
    self.refresh = refresh
  }

  /// The successor of `token` with this salt: always the same, and impossible to compute without the server's key.
  /// - Parameter account: nil for tokens as earlier programs make them, which name none.
  init(after token: BearerToken, salt: [UInt8], naming account: AccountID?, _ keys: ServerKeys) {
    func successor(_ kind: BearerToken.Kind, _ use: AuthenticationKey) -> BearerToken {
      let bytes = keys.hash(token.bytes + salt, for: use)
      return account.map { keys.token(kind, of: $0, from: bytes) } ?? BearerToken(kind, bytes: bytes)
    }
    access = successor(.access, .accessSuccessor)
    refresh = successor(.refresh, .refreshSuccessor)
  }

  /// The successor of `token` that the store has, whichever program made it.
  init(_ record: TokenRecord, after token: BearerToken, of account: AccountID, _ keys: ServerKeys) {
    let named = TokenPair(after: token, salt: record.salt, naming: account, keys)
    let isNamed = keys.hash(of: named.refresh) == record.refreshHash
    self = isNamed ? named : TokenPair(after: token, salt: record.salt, naming: nil, keys)
  }

  func response(expiresAt: Timestamp) -> TokenResponse {
    TokenResponse(accessToken: access.text, refreshToken: refresh.text, expiresAt: expiresAt)
  }
}
