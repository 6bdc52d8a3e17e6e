import Wire

/// The answers to requests that never reach the server core.
enum Refusals {
  static func bodyTooLarge(_ maximumBytes: Int) -> Problem {
    Problem(.bodyTooLarge, "a request's body may have at most \(maximumBytes) bytes here")
  }
  static let malformedTarget = Problem(.malformedRequest, "the path or the query is not well formed")
  static let malformedHead = Problem(
    .malformedRequest, "each line of a request's head is “Name: value”, without control characters, and ends with CR LF"
  )
  static let ambiguousHead = Problem(
    .malformedRequest, "Host, Content-Length and Transfer-Encoding may each be there once")
  static let oldEncoding = Problem(.malformedRequest, "a request of HTTP/1.0 has no Transfer-Encoding")
  static let ambiguousLength = Problem(
    .malformedRequest, "a request must not have both Content-Length and Transfer-Encoding")
  static let malformedLength = Problem(.malformedRequest, "Content-Length must be a number")
  static let unknownEncoding = Problem(.malformedRequest, "the only transfer encoding that the server knows is chunked")
  static let noHost = Problem(.malformedRequest, "a request of HTTP/1.1 must have a Host header")
  static let foreignHost = Problem(.malformedRequest, "this Host is not one of the operator's listener")
  static let requestTimeout = Problem(.timeout, "the whole request must arrive within the server's time limit")
  static let sessionEnded = Problem(.sessionRevoked, "This session was ended. Sign in again.")
  static let busy = Problem(.unavailable, "the server has too much to do now")
  static let tooManyStreams = Problem(.unavailable, "too many event streams are open")

  /// Replaces libmicrohttpd's own page for this status. The request is at fault, except for 500 and 503.
  static func ofLibrary(status: UInt32) -> Problem {
    switch status {
    case 413: bodyTooLarge(SyncLimits.maximumBodyBytes)
    case 414, 431: Problem(.headersTooLarge, "the request line and the headers must be shorter")
    case 408: requestTimeout
    case 500, 503: Problem(.unavailable, "the server has no memory left for this request")
    case 501: unknownEncoding
    case 505: Problem(.malformedRequest, "the server speaks HTTP/1.1 and HTTP/1.0")
    default: Problem(.malformedRequest, "this is not a well-formed HTTP/1.1 request")
    }
  }
}
