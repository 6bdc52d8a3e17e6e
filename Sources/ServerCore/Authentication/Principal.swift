package import Model

/// Who asks. (A stand-in until the accounts part is here.)
package enum Principal: Sendable, Hashable {
  case anonymous
  case session(account: AccountID, session: String, phone: String)
  case alertKey(account: AccountID, phone: String)

  /// Reads the `Authorization` header. Throws the problem of a token that is not valid.
  package static func identify(_ context: RequestContext) throws -> Principal { .anonymous }
}
