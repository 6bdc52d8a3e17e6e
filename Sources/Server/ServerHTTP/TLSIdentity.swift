import CMicroHTTPD
package import Model

/// The server's certificate and its key, PEM texts.
package struct TLSIdentity: Sendable {
  package var certificate: String
  package var key: String

  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }

  /// Throws `tls`, with what is wrong, where they cannot be read or do not belong together.
  package func check() throws(ServerError) {
    guard !lifesignal_tls_can_use(certificate, key) else { return }
    guard validity(for: nil) != nil else { throw ServerError(.tls, "the certificate cannot be used: it is not PEM") }
    guard lifesignal_tls_is_key(key) else {
      throw ServerError(.tls, "the certificate's key cannot be used: it is not PEM, or a password protects it")
    }
    throw ServerError(.tls, "the certificate and its key cannot be used: they do not belong together")
  }

  /// What devices and browsers check of the certificate.
  package struct Validity: Sendable, Hashable {
    package var from: Timestamp
    package var until: Timestamp
    package var namesHost: Bool
  }

  /// Nil where there is no certificate.
  /// - Parameter host: a name or an address; nil: none is asked for.
  package func validity(for host: String?) -> Validity? {
    var read = lifesignal_tls_certificate()
    guard lifesignal_tls_read(certificate, host, &read) else { return nil }
    return Validity(
      from: Timestamp(milliseconds: read.valid_from * 1000), until: Timestamp(milliseconds: read.valid_until * 1000),
      namesHost: read.names_host)
  }

  static let unusable = ServerError(
    .tls, "the certificate and its key cannot be used: both must be PEM and belong together")
}
