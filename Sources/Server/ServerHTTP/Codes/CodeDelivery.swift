/// How one-time codes reach a telephone.
package enum CodeDelivery: Sendable {
  /// Codes cannot be sent: nobody can sign in.
  case none
  /// To standard output, for development: anyone who reads it can sign in as any user.
  case console
  /// `POST {"to": …, "text": …}` as JSON to this URL, over HTTPS or to this machine.
  case gateway(String)

  var gateway: String? {
    if case .gateway(let url) = self { url } else { nil }
  }
}
