import Foundation
import Glibc
import SystemKit
import Testing
package import Wire

/// A responder's web server: answers every request with 204 unless told otherwise, and records it.
package final class WebhookReceiver: Sendable {
  package let port: Int
  private let listener: Int32
  private let received = Lock<[String]>([])
  private let receivedHeads = Lock<[String]>([])
  private let refusal: @Sendable (String) -> Problem?
  private let arrivals = DispatchSemaphore(value: 0)

  /// - Parameter refusal: the answer to a request with this head; nil for 204.
  package init(_ refusal: @escaping @Sendable (String) -> Problem? = { _ in nil }) throws {
    self.refusal = refusal
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    try #require(isBound)
    port = Int(UInt16(bigEndian: address.sin_port))
    try SystemThread.detach { [self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        serve(connection)
      }
    }
  }

  /// Ends the thread, which retains the receiver.
  package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The body of the next request; fails after 20 s.
  package func next() throws -> String {
    try #require(arrivals.wait(timeout: .now() + 20) == .success, "nothing arrived")
    return received.withLock { $0.removeFirst() }
  }

  /// The request lines and headers so far.
  package var heads: [String] { receivedHeads.withLock { $0 } }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while body(of: bytes) == nil {
      let count = read(connection, &buffer, buffer.count)
      guard count > 0 else { return }
      bytes += buffer[..<count]
    }
    let head = String(String(decoding: bytes, as: UTF8.self).prefix { $0 != "{" })
    receivedHeads.withLock { $0.append(head) }
    let answer = Array(answer(to: head).utf8)
    _ = write(connection, answer, answer.count)
    received.withLock { $0.append(body(of: bytes) ?? "") }
    arrivals.signal()
  }

  private func answer(to head: String) -> String {
    guard let problem = refusal(head) else { return "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n" }
    let body = String(decoding: problem.json(), as: UTF8.self)
    return "HTTP/1.1 \(problem.status) No\r\nConnection: close\r\nContent-Type: \(Problem.mediaType)\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
  }

  /// Nil until it is complete.
  private func body(of request: Data) -> String? {
    let text = String(decoding: request, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let length = text.firstMatch(of: /(?i)content-length: *(\d+)/).flatMap { Int($0.1) } ?? 0
    let body = String(text[end.upperBound...])
    return body.utf8.count >= length ? body : nil
  }
}
