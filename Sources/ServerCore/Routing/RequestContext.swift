package import Model

/// All that a handler may see of one request, and where it notes what the shell must do after the commit.
package struct RequestContext {
  package let configuration: ServerConfiguration
  package let keys: ServerKeys
  package let request: ServerRequest
  package let moment: ServerMoment
  package let transaction: any ServerTransaction
  /// The values of the pattern's braces, in order.
  package let parameters: [String]
  /// Within what the route's `Access` allows.
  package internal(set) var principal: Principal = .anonymous

  package var changedAccounts: [AccountID] = []
  package var hasNewDeliveries = false
  package var codes: [CodeMessage] = []

  package var now: Timestamp { moment.now }
}
