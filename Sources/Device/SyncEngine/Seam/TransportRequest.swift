/// Names one request of one coordinator. The numbers rise and are never used again in a run.
package struct RequestID: Hashable, Sendable {
  package let number: UInt64

  package init(number: UInt64) {
    self.number = number
  }
}

/// An HTTP request for the transport to make, whole.
///
/// It has no description of its own and must not be printed: a header carries a secret.
package struct TransportRequest: Hashable, Sendable {
  package let id: RequestID
  package let method: String
  /// Absolute, `https://…`, or `http://…` of a loopback host.
  package let url: String
  package let headers: [Header]
  package let body: [UInt8]
  /// A stream's answer, if it is `text/event-stream` with status 200, is told by `streamOpened` and `stream`, and goes on
  /// until it fails or is cancelled. Any other answer to it is told by `answer`.
  package let isStream: Bool
  package let connectTimeoutMilliseconds: Int
  /// From the start to the last byte of the answer; 0 for a stream: none.
  package let totalTimeoutMilliseconds: Int
  /// A larger answer fails with `bodyTooLarge`. Of a stream it bounds one line.
  package let maximumBodyBytes: Int
  /// Not over a connection that is open already.
  package let needsFreshConnection: Bool

  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(
    id: RequestID, method: String, url: String, headers: [Header], body: [UInt8], isStream: Bool,
    connectTimeoutMilliseconds: Int, totalTimeoutMilliseconds: Int, maximumBodyBytes: Int,
    needsFreshConnection: Bool = false
  ) {
    self.id = id
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.isStream = isStream
    self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
    self.totalTimeoutMilliseconds = totalTimeoutMilliseconds
    self.maximumBodyBytes = maximumBodyBytes
    self.needsFreshConnection = needsFreshConnection
  }

  /// The same under another number, for a connection of its own.
  func onFreshConnection(_ id: RequestID) -> TransportRequest {
    TransportRequest(
      id: id, method: method, url: url, headers: headers, body: body, isStream: isStream,
      connectTimeoutMilliseconds: connectTimeoutMilliseconds, totalTimeoutMilliseconds: totalTimeoutMilliseconds,
      maximumBodyBytes: maximumBodyBytes, needsFreshConnection: true)
  }
}

// A request that reaches a log or a failed test's text shows where it went, never what it carried.
extension TransportRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "\(method) \(url) #\(id.number)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// What came back, whole, whoever sent it.
package struct HTTPAnswer: Hashable, Sendable {
  package let status: Int
  /// By lower-case name. Of a name that came twice, the last.
  package let headers: [String: String]
  package let body: [UInt8]

  package init(status: Int, headers: [String: String], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

// An answer may carry tokens: only its outline is shown.
extension HTTPAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "HTTP \(status), \(body.count) bytes" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why no whole answer came. Texts are one line for a person and never hold a header or a body.
package enum TransportFailure: Error, Hashable, Sendable {
  case cannotResolve
  case cannotConnect
  case timedOut
  /// The peer's certificate or protocol was refused.
  case tls(String)
  case bodyTooLarge
  /// Anything else: a reset, half an answer, an answer that is not HTTP, the end of a stream.
  case protocolError(String)
  /// The transport gave it up by itself, as when it ends. Never told for a request that the engine cancelled.
  case cancelled
}
