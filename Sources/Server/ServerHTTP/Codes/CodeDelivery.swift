package import ServerCore

/// How one-time codes reach a telephone.
package enum CodeDelivery: Sendable {
  /// Codes cannot be sent: nobody can sign in.
  case none
  /// To standard output, for development: anyone who reads it can sign in as any user.
  case console
  /// By the gateway that sends text messages to responders too.
  case gateway(GatewayTemplate)

  var gateway: GatewayTemplate? {
    if case .gateway(let template) = self { template } else { nil }
  }
}
