import CCurl

// A mail. libcurl connects, encrypts and signs in (`CURLOPT_CONNECT_ONLY`), and the transaction is ours: libcurl would wait for the last reply,
// and for that to "QUIT", within one call, and hold up every other transfer.
extension Transfer {
  func configure(_ mail: MailEnvelope) throws(CurlError) {
    guard Self.isMailbox(mail.sender), Self.isMailbox(mail.recipient) else {
      throw CurlError(.invalidRequest, "a mail address has a forbidden character")
    }
    try set(CURLOPT_CONNECT_ONLY, 1)
    try set(CURLOPT_USE_SSL, Int(mail.demandsEncryption ? CURLUSESSL_ALL.rawValue : CURLUSESSL_NONE.rawValue))
    if let login = mail.login {
      try set(CURLOPT_USERNAME, login.user)
      try set(CURLOPT_PASSWORD, login.password)
    }
    // Among others, its connection would be taken for an idle one, and closed as soon as a reply arrives on it.
    guard let share = lifesignal_curl_share_connections() else {
      throw CurlError(.internalError, "libcurl cannot begin a request")
    }
    connections = share
    try CurlLibrary.check(lifesignal_curl_set_pointer(easy, CURLOPT_SHARE, share))
  }

  private static func isMailbox(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3C && $0 != 0x3E }
  }

  /// After libcurl is done: the event of a mail that could not be begun; nil where the transaction begins.
  func beginMail(_ mail: MailEnvelope, after result: CURLcode) -> CurlEvent? {
    if result == CURLE_OK {
      dialog = MailDialog(mail, content: request.body)
      return nil
    }
    // The newest reply. libcurl tells of one that it did not expect by one of these.
    let code = lifesignal_curl_get_long(easy, CURLINFO_RESPONSE_CODE)
    if code >= 400, [CURLE_LOGIN_DENIED, CURLE_REMOTE_ACCESS_DENIED, CURLE_WEIRD_SERVER_REPLY].contains(result) {
      return .finished(id, CurlResponse(code: code, to: result == CURLE_LOGIN_DENIED ? .login : .session))
    }
    return CurlError(result, of: self).map { .failed(id, $0) }
  }

  /// Sends and receives what is possible now. Returns the event at its end, nil until then.
  func talk() -> CurlEvent? {
    while let hasMoved = exchange() {
      if let end = dialog?.end {
        _ = exchange()  // A farewell, for which nothing waits.
        return .finished(id, CurlResponse(code: end.code, to: end.step))
      }
      guard hasMoved else { return nil }
    }
    return breakOff(CurlError(.protocolError, "the mail server broke off, or does not speak SMTP"))
  }

  /// The event of a mail that ends without a reply.
  func breakOff(_ error: CurlError) -> CurlEvent {
    .failed(id, dialog?.isUnanswered == true ? .mailUnanswered : error)
  }

  /// Whether anything moved; nil if the connection is broken.
  private func exchange() -> Bool? {
    let sent = send()
    let received = receive()
    // A server may close the connection with its last reply.
    if dialog?.end != nil { return true }
    guard let sent, let received else { return nil }
    return sent || received
  }

  private func send() -> Bool? {
    guard let output = dialog?.output, !output.isEmpty else { return false }
    var count = 0
    switch output.withUnsafeBytes({ lifesignal_curl_send(easy, $0.baseAddress, $0.count, &count) }) {
    case CURLE_OK: dialog?.sent(count)
    case CURLE_AGAIN: return false
    default: return nil
    }
    return count > 0
  }

  private func receive() -> Bool? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var count = 0
    switch buffer.withUnsafeMutableBytes({ lifesignal_curl_receive(easy, $0.baseAddress, $0.count, &count) }) {
    case CURLE_OK: return count > 0 && dialog?.receive(buffer.prefix(count)) == true ? true : nil
    case CURLE_AGAIN: return false
    default: return nil
    }
  }

  /// What to wait for; nil unless a transaction is under way.
  var wait: curl_waitfd? {
    guard let dialog else { return nil }
    let events = CURL_WAIT_POLLIN | (dialog.output.isEmpty ? 0 : CURL_WAIT_POLLOUT)
    return curl_waitfd(fd: lifesignal_curl_socket(easy), events: Int16(events), revents: 0)
  }
}

extension CurlResponse {
  fileprivate init(code: Int, to step: MailStep) {
    self.init(head: CurlResponseHead(status: code, headers: [:]), body: [])
    mailStep = step
  }
}
