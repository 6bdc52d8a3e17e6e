/// One HTTP request, as `CurlLoop` sends it.
///
/// Redirects are never followed, no compressed answer is asked for, and TLS is always verified (1.2 or newer).
package struct CurlRequest: Sendable, Hashable {
  /// A header field. Neither part may hold a line break or a zero: the request is refused then.
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
  /// Of name resolution, connection and TLS handshake together.
  package var connectTimeoutMilliseconds: Int
  /// Of everything; nil for a stream, which lasts.
  package var totalTimeoutMilliseconds: Int?
  /// The longest time without a byte from the peer; nil is for ever. Streams have no other bound.
  package var silenceTimeoutMilliseconds: Int?
  /// Of the answer's body; a longer one fails with `bodyTooLarge`. Of a stream, only where the status is not 2xx.
  package var maximumBodyBytes: Int
  /// Of all header lines of the answer, interim answers and trailers too.
  package var maximumHeaderBytes: Int
  /// Hands a 2xx answer's body over as it arrives (`opened`, `chunk`…) in place of collecting it.
  package var isStream: Bool
  /// A PEM file. Where set, these authorities alone are trusted, and the system's are not.
  package var certificateAuthorityFile: String?
  package var addressPolicy: AddressPolicy
  package var proxyPolicy: ProxyPolicy
  /// Over a connection of its own, whatever is open already.
  package var needsFreshConnection = false

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

/// To which addresses a request may connect, and over which schemes.
package enum AddressPolicy: Sendable, Hashable {
  /// Any address, `http` and `https`. For a server that was told to allow private channels.
  case any
  /// `https` alone, and public unicast addresses alone: checked when the socket is opened, so after name resolution.
  case publicOnly
  /// `https` to anywhere; `http` only where the host is `localhost` or a loopback literal. For the device.
  case httpsOrLoopback
}

/// Whether the proxies that the environment names (`https_proxy`, `no_proxy` and so on) are used.
package enum ProxyPolicy: Sendable, Hashable {
  case none
  /// For `https` requests to other hosts than this one.
  case fromEnvironment
}
