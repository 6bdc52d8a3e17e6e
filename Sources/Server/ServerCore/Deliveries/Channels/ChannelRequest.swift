/// The HTTP request that carries a message.
package struct ChannelRequest: Equatable, Sendable {
  package var method = "POST"
  package var url: String
  package var headers: [HeaderField]
  package var body: [UInt8]
  package var addresses = AttemptAddresses.publicOnly
  /// What the body of a 2xx answer must contain; nil: the status is enough.
  package var success: String?
}

/// Which addresses an attempt may reach, whatever the name resolves to.
package enum AttemptAddresses: Sendable, Hashable {
  /// No private, loopback and link-local ones.
  case publicOnly
  /// Any by HTTPS; by HTTP only this machine.
  case httpsOrLoopback
  case any
}
