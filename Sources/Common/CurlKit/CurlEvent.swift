/// Identifies one request of a `CurlLoop`; never reused by that loop.
package struct CurlRequestID: Sendable, Hashable {
  let number: UInt64
}

/// An event of a request. Each request ends with exactly one `finished` or `failed`, unless it was cancelled.
package enum CurlEvent: Sendable, Hashable {
  /// A stream began: the answer's status is 2xx.
  case opened(CurlRequestID, CurlResponseHead)
  /// Bytes of a stream, never empty.
  case chunk(CurlRequestID, [UInt8])
  /// The complete answer. For an opened stream: the peer ended it cleanly, and `body` is empty.
  case finished(CurlRequestID, CurlResponse)
  case failed(CurlRequestID, CurlError)
}

/// An answer's status and headers.
package struct CurlResponseHead: Sendable, Hashable {
  package var status: Int
  /// Values by lower-case name; repeated fields are joined with ", ".
  package var headers: [String: String]

  package init(status: Int, headers: [String: String]) {
    self.status = status
    self.headers = headers
  }

  /// `text/html`, lower-cased, without parameters.
  package var mediaType: String? {
    headers["content-type"].map { value in
      value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
  }
}

/// A complete answer of any status.
package struct CurlResponse: Sendable, Hashable {
  /// Of a mail: the code of the server's last reply, without headers.
  package var head: CurlResponseHead
  package var body: [UInt8]
  /// What the last reply to a mail is about; nil for HTTP.
  package var mailStep: MailStep?

  package init(head: CurlResponseHead, body: [UInt8]) {
    self.head = head
    self.body = body
  }

  package var status: Int { head.status }
}

/// Why a request got no answer.
package struct CurlError: Error, Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    /// libcurl is missing or too old.
    case unavailable
    /// The URL cannot be read: no other attempt can do better.
    case invalidURL
    /// The method, a header or the scheme is invalid or not allowed.
    case invalidRequest
    /// The policy forbids every address of the host.
    case addressRefused
    case cannotResolve, cannotConnect, timedOut
    /// The TLS handshake failed, or the certificate is not trusted.
    case tls
    /// The certificate authority file cannot be read.
    case certificateAuthorityFile
    case bodyTooLarge, headersTooLarge
    /// A mail was sent whole, and the server did not say whether it took it.
    case mailUnanswered
    /// The peer does not speak the protocol, or closed the connection early.
    case protocolError
    case internalError
  }

  package let code: Code
  /// One line for a person. May contain the host, never a header, a path or a body.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
