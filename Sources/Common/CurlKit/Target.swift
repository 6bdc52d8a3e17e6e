import CCurl

/// What a request's URL and policy permit.
struct Target {
  /// The addresses to which a socket may be opened.
  enum Addresses {
    case any, publicOnly, loopbackOnly

    func permit(_ address: IPAddress) -> Bool {
      switch self {
      case .any: true
      case .publicOnly: address.isPublic
      case .loopbackOnly: address.isLoopback
      }
    }
  }

  /// The value for CURLOPT_PROTOCOLS_STR.
  let protocols: String
  let addresses: Addresses
  /// False if addresses are restricted, because libcurl would connect to the proxy instead of the host.
  let mayUseProxy: Bool

  /// Throws `invalidURL`, `invalidRequest`, or `unavailable` without libcurl. Uses its URL parser, so that both see the same host.
  init(url text: String, policy: AddressPolicy) throws(CurlError) {
    try CurlLibrary.load()
    var url = lifesignal_curl_url()
    guard lifesignal_curl_parse_url(text, &url) == 0, let scheme = url.scheme, let host = url.host else {
      throw CurlError(.invalidURL, "this is not a URL of the form https://host/path, without a user name")
    }
    defer { lifesignal_curl_free_url(&url) }
    let isSecure = String(cString: scheme) == "https"
    let isLoopback = Self.isLoopback(host: String(cString: host))
    guard isSecure || String(cString: scheme) == "http" else {
      throw CurlError(.invalidRequest, "the URL must begin with https://")
    }
    switch policy {
    case .any:
      (protocols, addresses) = ("http,https", .any)
    case .publicOnly:
      guard isSecure else { throw CurlError(.invalidRequest, "the URL must begin with https://") }
      (protocols, addresses) = ("https", .publicOnly)
    case .httpsOrLoopback:
      guard isSecure || isLoopback else {
        throw CurlError(.invalidRequest, "the URL must begin with https://; http:// is for this machine alone")
      }
      (protocols, addresses) = isSecure ? ("https", .any) : ("http", .loopbackOnly)
    }
    mayUseProxy = isSecure && !isLoopback && addresses == .any
  }

  /// For a mail. Throws `invalidRequest`, or `unavailable` without libcurl.
  init(mailURL text: String, _ mail: MailEnvelope) throws(CurlError) {
    try CurlLibrary.load()
    var url = lifesignal_curl_url()
    guard lifesignal_curl_parse_url(text, &url) == 0, let scheme = url.scheme, let host = url.host else {
      throw CurlError(.invalidRequest, "this is not a URL of the form smtp://host, without a user name")
    }
    defer { lifesignal_curl_free_url(&url) }
    protocols = String(cString: scheme)
    mayUseProxy = false
    switch protocols {
    case "smtps": addresses = .any
    case "smtp" where mail.demandsEncryption: addresses = .any
    case "smtp" where Self.isLoopback(host: String(cString: host)): addresses = .loopbackOnly
    case "smtp": throw CurlError(.invalidRequest, "a mail goes unencrypted to this machine alone")
    default: throw CurlError(.invalidRequest, "the URL of a mail server must begin with smtp:// or smtps://")
    }
  }

  /// `localhost`, 127.0.0.0/8 or ::1, as libcurl's parser writes them.
  private static func isLoopback(host: String) -> Bool {
    if host.lowercased() == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
