/// An error of a request that knows whether the server refused it.
///
/// Your own client should throw errors that conform, so that a feature can distinguish a wrong code, which it clears, from an
/// unreachable server, with which the same code may be retried. An error that does not conform counts as not refused.
public protocol ServerRequestError: Error {
  /// Whether the server refused the request, so that the same request would be refused again.
  var isRefusal: Bool { get }
}
