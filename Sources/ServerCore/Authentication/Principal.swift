package import Model

/// Who asks, as the `Authorization` header proves.
package enum Principal: Sendable, Hashable {
  case anonymous
  /// A device with a living access token.
  case session(account: AccountID, session: SessionID, phone: String)
  /// A device with nothing but its alert key: it may push alerts, and nothing else.
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
  /// was ended; and `StorageError`. In a transaction that may write it notes the first use of an access token, after
  /// which its predecessor can no longer be replayed.
  package static func identify(_ context: RequestContext) throws -> Principal {
    fatalError("not yet")
  }
}
