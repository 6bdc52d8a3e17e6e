package import Model
import Wire

/// Who asks, as the `Authorization` header proves.
package enum Principal: Sendable, Hashable {
  case anonymous
  /// A device with a living access token.
  case session(account: AccountID, session: SessionID, phone: String)
  /// A device with nothing but its alert key: it may push alerts and end its session, and nothing else.
  case alertKey(account: AccountID, session: SessionID, phone: String)

  /// Nil for `anonymous`.
  package var accountID: AccountID? {
    switch self {
    case .anonymous: nil
    case .session(let account, _, _), .alertKey(let account, _, _): account
    }
  }

  /// Reads the `Authorization` header, within the transaction of the request; without one it is `anonymous`.
  ///
  /// Throws `Problem`: `unauthorized` for a token that is unknown, expired or of another form, `sessionRevoked` for one that
  /// was ended; and `StorageError`. It notes the first use of an access token, after which its predecessor can no longer be
  /// replayed; in a transaction that must not write it sets `hasUnnotedUse`.
  package static func identify(_ context: inout RequestContext) throws -> Principal {
    guard let header = context.request.authorization, !header.isEmpty else { return .anonymous }
    guard let token = token(in: header) else { throw unknown }
    switch token.kind {
    case .access: return try session(token, &context)
    case .alertKey: return try alertKey(token, context)
    case .refresh: throw unknown
    }
  }

  /// The token of `Bearer TOKEN` (RFC 6750 §2.1); the scheme's name may be of either case.
  private static func token(in header: String) -> BearerToken? {
    let parts = header.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return BearerToken(String(parts[1]))
  }

  private static func session(_ token: BearerToken, _ context: inout RequestContext) throws -> Principal {
    let records = context.transaction
    guard let tokens = try records.tokens(accessHash: context.keys.hash(of: token)),
      let session = try records.session(tokens.sessionID), let account = try records.account(session.accountID)
    else { throw unknown }
    guard session.endedAt == nil else { throw revoked }
    guard context.now < tokens.accessExpiresAt else { throw expired }
    try noteUse(of: tokens, &context)
    return .session(account: account.id, session: session.id, phone: account.phone)
  }

  private static func noteUse(of tokens: TokenRecord, _ context: inout RequestContext) throws {
    guard tokens.firstUsedAt == nil else { return }
    guard context.transaction.isWritable else {
      context.hasUnnotedUse = true
      return
    }
    var used = tokens
    used.firstUsedAt = context.now
    try context.transaction.updateTimes(of: used)
  }

  private static func alertKey(_ token: BearerToken, _ context: RequestContext) throws -> Principal {
    let records = context.transaction
    guard let session = try records.session(alertKeyHash: context.keys.hash(of: token)),
      let account = try records.account(session.accountID)
    else { throw unknown }
    guard session.alertKeyEndedAt == nil else { throw revoked }
    return .alertKey(account: account.id, session: session.id, phone: account.phone)
  }

  private static let unknown = Problem(.unauthorized, "The server does not know this token. Sign in again.")
  private static let expired = Problem(.unauthorized, "The access token has expired. Refresh it, or sign in again.")
  static let revoked = Problem(.sessionRevoked, "This session was ended. Sign in again.")
}
