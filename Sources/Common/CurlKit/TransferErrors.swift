import CCurl
import SystemKit

extension CurlError {
  /// The error for libcurl's `result` of `transfer`; nil for success.
  init?(_ result: CURLcode, of transfer: Transfer) {
    guard result != CURLE_OK else { return nil }
    let detail = String(cString: transfer.errorText)
    func message(_ text: String) -> String { detail.isEmpty ? text : "\(text) (\(detail))" }
    switch result {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      self.init(.cannotResolve, message("the server's name cannot be resolved"))
    case CURLE_COULDNT_CONNECT where transfer.hasRefusedAddress && transfer.openedSockets.isEmpty:
      self.init(.addressRefused, "this host has no address that may be connected to")
    case CURLE_COULDNT_CONNECT, CURLE_PROXY:
      self.init(.cannotConnect, message("the server cannot be reached"))
    case CURLE_OPERATION_TIMEDOUT:
      self.init(.timedOut, "the server did not answer in time")
    case CURLE_SSL_CACERT_BADFILE:
      self.init(.certificateAuthorityFile, "the certificate authority file cannot be read")
    case CURLE_PEER_FAILED_VERIFICATION:
      self = .untrusted(message("the server's certificate cannot be trusted"), at: KernelClock.wall.milliseconds())
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED:
      self.init(.tls, message("the connection cannot be trusted"))
    case CURLE_USE_SSL_FAILED:
      self.init(.tls, "the server does not offer encryption")
    case CURLE_FILESIZE_EXCEEDED:
      self.init(.bodyTooLarge, "the server's answer is too large")
    case CURLE_URL_MALFORMAT:
      self.init(.invalidURL, "the URL cannot be used")
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION,
      CURLE_NOT_BUILT_IN:
      self.init(.internalError, message("libcurl failed"))
    default:
      let name = transfer.request.mail == nil ? "HTTP" : "SMTP"
      self.init(.protocolError, message("the server broke off, or does not speak \(name)"))
    }
  }

  /// A device whose clock was reset takes every certificate for one that is not valid yet.
  ///
  /// - Parameter wallMilliseconds: what the clock says, since 1970.
  static func untrusted(_ message: String, at wallMilliseconds: Int64) -> CurlError {
    guard wallMilliseconds < earliestTimeMilliseconds else { return CurlError(.tls, message) }
    return CurlError(.tls, "this device's clock is years behind, so that no certificate is valid: set the clock")
  }

  /// 2026-01-01: no such program ran before.
  static let earliestTimeMilliseconds: Int64 = 1_767_225_600_000

  static let mailUnanswered = CurlError(.mailUnanswered, "the mail server did not say whether it took the mail")
  static let silence = CurlError(.timedOut, "the server has been silent for too long")
}
