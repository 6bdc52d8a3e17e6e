import CMicroHTTPD

/// The server's certificate and its key, PEM texts.
package struct TLSIdentity: Sendable {
  package var certificate: String
  package var key: String

  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }

  /// Throws `tls` where they cannot be read or do not belong together.
  package func check() throws(ServerError) {
    guard lifesignal_tls_can_use(certificate, key) else { throw Self.unusable }
  }

  static let unusable = ServerError(
    .tls, "the certificate and its key cannot be used: both must be PEM and belong together")
}
