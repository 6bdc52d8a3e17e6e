import CCurl

extension Transfer {
  /// Sets all of libcurl's options for the request. Throws `invalidRequest`, or `internalError` if libcurl refuses an option.
  func configure() throws(CurlError) {
    try set(CURLOPT_URL, request.url)
    try set(CURLOPT_PROTOCOLS_STR, target.protocols)
    try set(CURLOPT_NOSIGNAL, 1)
    // Since 7.87: do not wait for a hanging name resolution. Older versions ignore the option and wait.
    _ = lifesignal_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
    if let mail = request.mail { try configure(mail) } else { try configureHTTP() }
    try configureTimeouts()
    try configureSecurity()
    try configureConnection()
    try configureCallbacks()
  }

  private func configureHTTP() throws(CurlError) {
    try set(CURLOPT_FOLLOWLOCATION, 0)
    try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    try set(CURLOPT_HTTP09_ALLOWED, 0)
    try configureMethod()
    try configureHeaders()
  }

  private func configureMethod() throws(CurlError) {
    guard !request.method.isEmpty, request.method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
      throw CurlError(.invalidRequest, "a method is in capital letters")
    }
    switch request.method {
    case "GET" where request.body.isEmpty: try set(CURLOPT_HTTPGET, 1)
    case "HEAD": try set(CURLOPT_NOBODY, 1)
    default:
      if request.method == "POST" || !request.body.isEmpty {
        try set(CURLOPT_POST, 1)
        try CurlLibrary.check(
          lifesignal_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)))
        try CurlLibrary.check(lifesignal_curl_set_pointer(easy, CURLOPT_POSTFIELDS, upload.baseAddress))
      }
      try set(CURLOPT_CUSTOMREQUEST, request.method)
    }
  }

  /// Disables "Expect", which costs a round trip with large bodies. "Accept-Encoding" is off by default.
  private func configureHeaders() throws(CurlError) {
    var lines = ["Expect:"]
    for header in request.headers {
      guard header.isWellFormed else { throw CurlError(.invalidRequest, "a header has a forbidden character") }
      lines.append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
    }
    for line in lines {
      guard let list = lifesignal_curl_slist_append(headerList, line) else {
        throw CurlError(.internalError, "out of memory")
      }
      headerList = list
    }
    try CurlLibrary.check(lifesignal_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headerList))
    try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
  }

  /// Low-speed limits wake libcurl every second, so streams have none and rely on the silence timeout.
  private func configureTimeouts() throws(CurlError) {
    try set(CURLOPT_CONNECTTIMEOUT_MS, max(1, request.connectTimeoutMilliseconds))
    try set(CURLOPT_TIMEOUT_MS, request.totalTimeoutMilliseconds.map { max(1, $0) } ?? 0)
    guard !request.isStream else { return }
    try set(CURLOPT_LOW_SPEED_LIMIT, 1)
    // Scales with the total timeout: a slow server's silence is not a slow path.
    try set(CURLOPT_LOW_SPEED_TIME, max(20, (request.totalTimeoutMilliseconds ?? 0) / 3000))
    try CurlLibrary.check(
      lifesignal_curl_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(request.maximumBodyBytes)))
  }

  private func configureSecurity() throws(CurlError) {
    try set(CURLOPT_SSL_VERIFYPEER, 1)
    try set(CURLOPT_SSL_VERIFYHOST, 2)
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let file = request.certificateAuthorityFile {
      try set(CURLOPT_CAINFO, file)
      try CurlLibrary.check(lifesignal_curl_set_string(easy, CURLOPT_CAPATH, nil))
    }
    if request.proxyPolicy == .none || !target.mayUseProxy { try set(CURLOPT_PROXY, "") }
  }

  private func configureConnection() throws(CurlError) {
    try set(CURLOPT_TCP_NODELAY, 1)
    // The kernel's probes would wake a radio each minute. Requests have timeouts, and streams have heartbeats.
    try set(CURLOPT_TCP_KEEPALIVE, 0)
    try sockets.attach(to: easy, for: self)
  }

  private func configureCallbacks() throws(CurlError) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    try CurlLibrary.check(lifesignal_curl_set_write_callback(easy, CURLOPT_WRITEFUNCTION, receiveBody))
    try CurlLibrary.check(lifesignal_curl_set_pointer(easy, CURLOPT_WRITEDATA, context))
    try CurlLibrary.check(lifesignal_curl_set_write_callback(easy, CURLOPT_HEADERFUNCTION, receiveHeader))
    try CurlLibrary.check(lifesignal_curl_set_pointer(easy, CURLOPT_HEADERDATA, context))
    try CurlLibrary.check(lifesignal_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText))
  }

  /// Resolves names for each new connection, because a captive portal may have forged the address. Also keeps libcurl's
  /// upload buffer at its minimum.
  func configureForSlowPaths() throws(CurlError) {
    try set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
    try set(CURLOPT_UPLOAD_BUFFERSIZE, 16 << 10)
  }

  func keepNames(seconds: Int) throws(CurlError) {
    try set(CURLOPT_DNS_CACHE_TIMEOUT, seconds)
  }

  /// Prevents the request from reusing open connections.
  func demandFreshConnection() throws(CurlError) {
    try set(CURLOPT_FRESH_CONNECT, 1)
  }

  func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
    try CurlLibrary.check(lifesignal_curl_set_long(easy, option, value))
  }

  func set(_ option: CURLoption, _ value: String) throws(CurlError) {
    guard !value.utf8.contains(0) else { throw CurlError(.invalidRequest, "a text has a zero character") }
    try CurlLibrary.check(lifesignal_curl_set_string(easy, option, value))
  }
}

extension CurlRequest.Header {
  fileprivate var isWellFormed: Bool {
    !name.isEmpty && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }
      && !value.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
  }
}

private let receiveBody: curl_write_callback = { bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer.receive(body: piece) ? piece.count : Int(CURL_WRITEFUNC_ERROR)
}

private let receiveHeader: curl_write_callback = { bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer.receive(header: line) ? line.count : Int(CURL_WRITEFUNC_ERROR)
}
