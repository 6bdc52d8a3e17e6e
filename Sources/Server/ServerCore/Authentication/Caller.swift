import Model
import Wire

/// Who makes the request, as their credential proves.
package struct Caller: Sendable, Hashable {
  package var account: AccountRecord
  package var session: SessionID
  /// They showed an alert key, which may push alerts and end its session, and nothing else.
  package var isAlertKeyOnly: Bool
}

/// What the `Authorization` header shows.
enum Credential: Sendable {
  case none
  /// A malformed token, or one that does not authenticate requests.
  case unreadable
  case accessToken(BearerToken)
  case alertKey(BearerToken)

  /// Reads `Bearer TOKEN` (RFC 6750 §2.1); the scheme's name may be of either case.
  init(header: String?) {
    guard let header, !header.isEmpty else {
      self = .none
      return
    }
    let parts = header.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
    guard parts.count == 2, parts[0].lowercased() == "bearer", let token = BearerToken(String(parts[1])) else {
      self = .unreadable
      return
    }
    self =
      switch token.kind {
      case .access: .accessToken(token)
      case .alertKey: .alertKey(token)
      case .refresh: .unreadable
      }
  }

  var isAlertKey: Bool {
    if case .alertKey = self { true } else { false }
  }

  /// Nil where there is nothing to look up.
  func hash(_ keys: ServerKeys) -> CredentialHash? {
    switch self {
    case .none, .unreadable: nil
    case .accessToken(let token): .accessToken(keys.hash(of: token))
    case .alertKey(let key): .alertKey(keys.hash(of: key))
    }
  }

  /// Whose it says it is; nil where there is nothing to look up.
  func namedAccount(_ keys: ServerKeys) -> AccountID? {
    switch self {
    case .none, .unreadable: nil
    case .accessToken(let token), .alertKey(let token): keys.account(namedBy: token)
    }
  }

  /// Who shows the credential, according to the facts.
  ///
  /// Throws `unauthorized` without one and for one that is unknown, expired or unreadable; `sessionRevoked` for one that was ended;
  /// `forbidden` where `access` asks for more. Notes the first use of an access token, after which its predecessor cannot be replayed.
  func caller(_ access: RouteEntry.Access, _ work: inout RequestWork) throws(Problem) -> Caller {
    switch self {
    case .none: throw Self.missing
    case .unreadable: throw Self.unknown
    case .accessToken: return try session(&work)
    case .alertKey: return try alertKey(access, work.facts)
    }
  }

  private func session(_ work: inout RequestWork) throws(Problem) -> Caller {
    guard let facts = work.facts.credential, var tokens = facts.tokens else { throw Self.unknown }
    guard facts.session.endedAt == nil else { throw Self.revoked }
    guard work.now < tokens.accessExpiresAt else { throw Self.expired }
    if tokens.firstUsedAt == nil {
      tokens.firstUsedAt = work.now
      work.writes.changedTokens.append(tokens)
    }
    return Caller(account: facts.account, session: facts.session.id, isAlertKeyOnly: false)
  }

  private func alertKey(_ access: RouteEntry.Access, _ facts: RequestFacts) throws(Problem) -> Caller {
    guard let facts = facts.credential else { throw Self.unknown }
    guard facts.session.alertKeyEndedAt == nil else { throw Self.revoked }
    guard access == .sessionOrAlertKey else { throw Self.insufficient }
    return Caller(account: facts.account, session: facts.session.id, isAlertKeyOnly: true)
  }

  private static let missing = Problem(.unauthorized, "sign in first: this needs an access token")
  private static let unknown = Problem(.unauthorized, "The server does not know this token. Sign in again.")
  private static let expired = Problem(.unauthorized, "The access token has expired. Refresh it, or sign in again.")
  private static let insufficient = Problem(
    .forbidden, "an alert key may push alerts and end its session, and nothing else: sign in")
  static let revoked = Problem(.sessionRevoked, "This session was ended. Sign in again.")
}
