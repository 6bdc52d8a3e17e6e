/// Why the server cannot start.
package struct ServerError: Error, Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    /// The text is not an address.
    case invalidAddress
    /// The address is in use, not of this machine, or not allowed to this user.
    case cannotListen
    /// The certificate or its key cannot be used, or the library has no TLS.
    case tls
    /// No thread, descriptor or memory; or libcurl is missing.
    case cannotStart
  }

  package let code: Code
  /// One line for the operator.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
