package import Model
package import Secrets

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

  package var changedAccounts: [AccountID] = []
  package var hasNewDeliveries = false
  package var codes: [CodeMessage] = []
  /// A line for the operator's log: why this request failed. Never a token, a code or a number.
  package var remark: String?
}
