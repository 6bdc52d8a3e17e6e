/// Names one request of a `CurlLoop`; never used twice by one loop.
package struct CurlRequestID: Sendable, Hashable {
  let number: UInt64
}

/// What became of a request. Each one ends with exactly one of `finished` and `failed`, unless it was cancelled.
package enum CurlEvent: Sendable, Hashable {
  /// A stream began: the answer's status is 2xx.
  case opened(CurlRequestID, CurlResponseHead)
  /// Bytes of a stream, never empty.
  case chunk(CurlRequestID, [UInt8])
  /// The whole answer is here. Of a stream that was opened: the peer ended it properly, and `body` is empty.
  case finished(CurlRequestID, CurlResponse)
  case failed(CurlRequestID, CurlError)
}

/// The beginning of an answer.
package struct CurlResponseHead: Sendable, Hashable {
  package var status: Int
  /// By lower-cased name; several fields of one name are joined with ", ".
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

/// A whole answer, of any status.
package struct CurlResponse: Sendable, Hashable {
  package var head: CurlResponseHead
  package var body: [UInt8]

  package init(head: CurlResponseHead, body: [UInt8]) {
    self.head = head
    self.body = body
  }

  package var status: Int { head.status }
}

/// Why there is no answer.
package struct CurlError: Error, Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    /// libcurl is not on this machine, or too old.
    case unavailable
    /// The URL, the method, a header or the scheme is not allowed.
    case invalidRequest
    /// Every address of the host is one that the policy forbids.
    case addressRefused
    case cannotResolve, cannotConnect, timedOut
    /// The handshake failed, or the certificate is not to be trusted.
    case tls
    /// The certificate authority file cannot be read.
    case certificateAuthorityFile
    case bodyTooLarge, headersTooLarge
    /// The peer does not speak HTTP, or broke off.
    case protocolError
    case internalError
  }

  package let code: Code
  /// One line for a person. It may name the host, never a header, a path or a body.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
