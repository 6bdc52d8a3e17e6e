/// An error of a request to a server that knows whether the server has judged it.
///
/// A client of one's own throws errors that conform, so that a feature can tell a wrong code, which is erased, from a server
/// that is away, where the same code may be tried again. Of an error that does not conform nobody knows; it counts as none
/// that the server has judged.
public protocol ServerRequestError: Error {
  /// The server has judged the request and says no: the same again would be refused too.
  var isRefusal: Bool { get }
}
