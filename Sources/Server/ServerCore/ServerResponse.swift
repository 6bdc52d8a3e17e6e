package import Model
package import Wire

/// An answer, for the shell to write.
package enum ServerResponse: Sendable {
  case full(FullResponse)
  /// `text/event-stream`, kept open: `StreamEvent`s whenever the account changes, until the session ends, and at least every
  /// `heartbeatSeconds`.
  case eventStream(AccountID, StreamHolder, heartbeatSeconds: Int = StreamEvent.heartbeatSeconds)

  /// The HTTP status.
  package var status: Int {
    switch self {
    case .full(let response): response.status
    case .eventStream: 200
    }
  }

  package var isSuccess: Bool { (200..<300).contains(status) }
}

/// Who holds an event stream open.
package enum StreamHolder: Sendable, Hashable {
  case session(SessionID)
  case page(PageKey)
}

/// A status, headers and a body.
package struct FullResponse: Sendable, Hashable {
  package var status: Int
  /// Other than `Content-Type` and `Content-Length`: names in their usual spelling, values without line breaks.
  package var headers: [HeaderField]
  /// Nil where there is no body, as with 204.
  package var mediaType: String?
  package var body: [UInt8]

  package init(status: Int, headers: [HeaderField] = [], mediaType: String?, body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.mediaType = mediaType
    self.body = body
  }
}

/// One header of a request or an answer.
package struct HeaderField: Sendable, Hashable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension ServerResponse {
  package static let noContent = ServerResponse.full(FullResponse(status: 204, mediaType: nil, body: []))

  package static func json(_ body: [UInt8], status: Int = 200) -> Self {
    .full(FullResponse(status: status, mediaType: "application/json", body: body))
  }

  package static func text(_ text: String, mediaType: String = "text/plain; charset=utf-8", status: Int = 200) -> Self {
    .full(FullResponse(status: status, mediaType: mediaType, body: Array(text.utf8)))
  }

  /// An RFC 9457 problem. `retryAfterSeconds` becomes `Retry-After`.
  package static func problem(
    _ problem: Problem, retryAfterSeconds: Int? = nil, headers: [HeaderField] = []
  ) -> Self {
    var headers = headers
    if let retryAfterSeconds { headers.append(HeaderField("Retry-After", String(retryAfterSeconds))) }
    return .full(
      FullResponse(status: problem.status, headers: headers, mediaType: Problem.mediaType, body: problem.json()))
  }
}
