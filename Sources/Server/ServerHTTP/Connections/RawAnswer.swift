import Glibc
import Wire

/// A complete answer in bytes, for a socket on which libmicrohttpd can no longer answer: a request that comes too slowly, is not
/// HTTP, or whose body grows too large. The connection ends with it.
struct RawAnswer {
  private let bytes: [UInt8]

  init(_ problem: Problem, retryAfterSeconds: Int? = nil) {
    let body = problem.json()
    let retry = retryAfterSeconds.map { "Retry-After: \($0)\r\n" } ?? ""
    let head =
      "HTTP/1.1 \(problem.status) \(problem.kind.title)\r\nContent-Type: \(Problem.mediaType)\r\n"
      + "Content-Length: \(body.count)\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n"
      + "\(retry)Connection: close\r\n\r\n"
    bytes = Array(head.utf8) + body
  }

  static let requestTimeout = RawAnswer(Refusals.requestTimeout)
  static let busy = RawAnswer(Refusals.busy, retryAfterSeconds: 1)

  /// Sends what the socket takes at once. A client that does not even read that gets no answer.
  func send(to descriptor: Int32) {
    _ = bytes.withUnsafeBytes {
      Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    }
  }
}
