/// One HTTP request, or one mail, as `CurlLoop` sends it.
///
/// Never follows redirects, never requests compression, and always verifies TLS (1.2 or newer).
package struct CurlRequest: Sendable, Hashable {
  /// A header field. A request with a line break or NUL in either part is refused.
  package struct Header: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package var method: String
  package var url: String
  package var headers: [Header]
  package var body: [UInt8]
  /// The timeout for name resolution, connection and TLS handshake together.
  package var connectTimeoutMilliseconds: Int
  /// The timeout for the whole request; nil for a stream, which has none.
  package var totalTimeoutMilliseconds: Int?
  /// The maximum time without a byte from the peer; nil means no limit. The only timeout of an open stream.
  package var silenceTimeoutMilliseconds: Int?
  /// The limit of the answer's body; a longer one fails with `bodyTooLarge`. For a stream it applies only if the status is not
  /// 2xx.
  package var maximumBodyBytes: Int
  /// The limit of all header lines of the answer, including interim answers and trailers.
  package var maximumHeaderBytes: Int
  /// Delivers a 2xx answer's body as it arrives (`opened`, `chunk`…) instead of collecting it.
  package var isStream: Bool
  /// A PEM file. If set, only these authorities are trusted, not the system's.
  package var certificateAuthorityFile: String?
  package var addressPolicy: AddressPolicy
  package var proxyPolicy: ProxyPolicy
  /// Never reuse an open connection.
  package var needsFreshConnection = false
  /// Makes the request a mail: `body` is its text (RFC 5322). Its URL, and this, say where it goes; method, headers, and the policies of
  /// addresses and proxies have no meaning then. It has a connection of its own.
  package var mail: MailEnvelope?

  package init(
    method: String = "GET", url: String, headers: [Header] = [], body: [UInt8] = [],
    connectTimeoutMilliseconds: Int = 10_000, totalTimeoutMilliseconds: Int? = 30_000,
    silenceTimeoutMilliseconds: Int? = nil, maximumBodyBytes: Int = 1 << 20, maximumHeaderBytes: Int = 64 << 10,
    isStream: Bool = false, certificateAuthorityFile: String? = nil, addressPolicy: AddressPolicy,
    proxyPolicy: ProxyPolicy = .none
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
    self.totalTimeoutMilliseconds = totalTimeoutMilliseconds
    self.silenceTimeoutMilliseconds = silenceTimeoutMilliseconds
    self.maximumBodyBytes = maximumBodyBytes
    self.maximumHeaderBytes = maximumHeaderBytes
    self.isStream = isStream
    self.certificateAuthorityFile = certificateAuthorityFile
    self.addressPolicy = addressPolicy
    self.proxyPolicy = proxyPolicy
  }
}

/// The addresses and schemes that a request may use.
package enum AddressPolicy: Sendable, Hashable {
  /// Any address with `http` or `https`. For a server that allows private channels.
  case any
  /// Only `https` to public unicast addresses: checked when the socket is opened, after name resolution.
  case publicOnly
  /// `https` to any address; `http` only if the host is `localhost` or a loopback literal. For the device.
  case httpsOrLoopback
}

/// Whether to use proxies from the environment (`https_proxy`, `no_proxy` and so on).
package enum ProxyPolicy: Sendable, Hashable {
  case none
  /// Use them for `https` requests to other machines.
  case fromEnvironment
}
