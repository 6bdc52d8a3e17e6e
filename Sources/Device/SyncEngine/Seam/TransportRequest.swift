/// Identifies one request of one coordinator. Numbers increase and are never reused in a run.
package struct RequestID: Hashable, Sendable {
  package let number: UInt64

  package init(number: UInt64) {
    self.number = number
  }
}

/// A complete HTTP request for the transport.
///
/// Its description omits headers and body, because a header carries a secret.
package struct TransportRequest: Hashable, Sendable {
  package let id: RequestID
  package let method: String
  /// An absolute URL: `https://…`, or `http://…` for a loopback host.
  package let url: String
  package let headers: [Header]
  package let body: [UInt8]
  /// Whether the answer is an event stream. `text/event-stream` with status 200 is reported by `streamOpened` and `stream`,
  /// and lasts until it fails or is cancelled. Any other answer is reported by `answer`.
  package let isStream: Bool
  package let connectTimeoutMilliseconds: Int
  /// From the start to the last byte of the answer; 0 (for a stream): no timeout.
  package let totalTimeoutMilliseconds: Int
  /// A larger answer fails with `bodyTooLarge`. For a stream, the limit of one line.
  package let maximumBodyBytes: Int
  /// Do not reuse an open connection.
  package let needsFreshConnection: Bool
  /// Hand it to the network before the engine gets the next event, with which it will be busy for a while.
  package var isFlushed = false

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

  /// A copy with another id, for a fresh connection.
  func onFreshConnection(_ id: RequestID) -> TransportRequest {
    TransportRequest(
      id: id, method: method, url: url, headers: headers, body: body, isStream: isStream,
      connectTimeoutMilliseconds: connectTimeoutMilliseconds, totalTimeoutMilliseconds: totalTimeoutMilliseconds,
      maximumBodyBytes: maximumBodyBytes, needsFreshConnection: true)
  }
}

// A request in a log or in a test's failure text shows its URL, never its headers or body.
extension TransportRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "\(method) \(url) #\(id.number)" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A complete HTTP answer, from any sender.
package struct HTTPAnswer: Hashable, Sendable {
  package let status: Int
  /// Values by lower-case name. For repeated names, the last value.
  package let headers: [String: String]
  package let body: [UInt8]

  package init(status: Int, headers: [String: String], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

// An answer may carry tokens: its description omits headers and body.
extension HTTPAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "HTTP \(status), \(body.count) bytes" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why no complete answer arrived. Texts are one line for a person, without headers or bodies.
package enum TransportFailure: Error, Hashable, Sendable {
  case cannotResolve
  case cannotConnect
  case timedOut
  /// The peer's certificate or protocol was refused.
  case tls(String)
  case bodyTooLarge
  /// Anything else: a reset, half an answer, an answer that is not HTTP, the end of a stream.
  case protocolError(String)
  /// The transport cancelled the request itself, for example at shutdown. Not reported for requests that the engine cancelled.
  case cancelled
}
