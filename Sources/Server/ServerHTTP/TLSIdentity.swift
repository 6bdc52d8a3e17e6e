import CMicroHTTPD

/// The server's certificate and its key, PEM texts.
package struct TLSIdentity: Sendable {
  package var certificate: String
  package var key: String

  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }

  /// Whether they can be read and belong together.
  package var isUsable: Bool { lifesignal_tls_can_use(certificate, key) }
}
