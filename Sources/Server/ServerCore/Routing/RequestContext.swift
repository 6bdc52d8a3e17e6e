package import Model
package import Secrets
import Wire

/// All that a handler may see of one request, and where it notes what the shell must do after the commit.
package struct RequestContext {
  package let configuration: ServerConfiguration
  package let keys: ServerKeys
  package let request: ServerRequest
  package let transaction: any ServerTransaction
  /// The server's wall clock.
  package let now: Timestamp
  /// The values of the pattern's braces, in order.
  package let parameters: [String]
  /// Within what the route's `Access` allows.
  package internal(set) var principal: Principal = .anonymous
  /// Randomness for this request; drawing from it moves it on.
  package var entropy: Entropy

  /// How far a long exchange is.
  var progress = ExchangeProgress()
  /// The access token was used for the first time, in a transaction that cannot note it.
  var hasUnnotedUse = false
  package var changedAccounts: [AccountID] = []
  /// Whose event streams must end. Set by `endSession`.
  package private(set) var endedSessions: [SessionID] = []
  package var hasNewDeliveries = false
  package var codes: [CodeMessage] = []
  /// A line for the operator's log: why this request failed. Never a token, a code or a number.
  package var remark: String?

  /// Ends the session's tokens, and its alert key where `endsAlertKey`. Its event streams end after the commit.
  package mutating func endSession(_ session: SessionID, endsAlertKey: Bool) throws(StorageError) {
    try transaction.endSession(session, at: now, endsAlertKey: endsAlertKey)
    endedSessions.append(session)
  }
}

extension RequestContext {
  /// The request's body. Throws `malformedRequest`.
  func body<Body: JSONBody>(_ type: Body.Type) throws(Problem) -> Body {
    try Self.decoded(type, from: request.body)
  }

  /// Throws `malformedRequest`.
  static func decoded<Body: JSONBody>(_ type: Body.Type, from bytes: [UInt8]) throws(Problem) -> Body {
    do {
      return try Body(jsonBytes: bytes)
    } catch {
      throw Problem(.malformedRequest, error.message)
    }
  }
}
