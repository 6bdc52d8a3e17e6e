import Model
import ServerCore
import ServerHTTP

/// What devices and browsers would find wrong with the server's certificate, for its operator. The server works all the same.
struct CertificateCheck {
  private(set) var warnings: [String] = []
  /// Nil where a warning says it.
  private(set) var note: String?

  init(_ identity: TLSIdentity, of options: ServerOptions, at now: Timestamp) {
    let host = options.publicHost
    guard let validity = identity.validity(for: host) else { return }
    let name = "--tls-certificate \(options.certificateFile ?? "")"
    let end = CertificateEnd(at: validity.until)
    if end.isOver(at: now) {
      warnings.append("\(name): expired at \(validity.until), so devices refuse it")
    } else if now < validity.from {
      warnings.append("\(name): valid only from \(validity.from), so devices refuse it")
    } else if end.isSoon(at: now) {
      warnings.append("\(name): expires soon, at \(validity.until)")
    } else {
      note = "the certificate is valid until \(validity.until)"
    }
    guard let host, !validity.namesHost else { return }
    warnings.append(
      "\(name): it is not for \(host), the host of --public-url. Devices that come here with that name refuse it")
  }
}
