import Glibc
import Testing

@testable import ServerHTTP

/// A plain socket to a server in this process, on which a test can send invalid bytes.
final class RawClient {
  let descriptor: Int32
  private var unread: [UInt8] = []
  /// Retained so that the server outlives its clients.
  private let server: AnyObject?

  /// Reading and writing time out after `timeoutSeconds`, so that a broken server fails a test instead of blocking it.
  convenience init(port: UInt16, timeoutSeconds: Int = 10, server: AnyObject? = nil) throws {
    try self.init(ListenAddress("127.0.0.1:\(port)"), timeoutSeconds: timeoutSeconds, server: server)
  }

  /// To a Unix socket.
  convenience init(path: String) throws {
    try self.init(ListenAddress("unix:\(path)"), timeoutSeconds: 10, server: nil)
  }

  private init(_ address: ListenAddress, timeoutSeconds: Int, server: AnyObject?) throws {
    self.server = server
    descriptor = socket(address.family == .unix ? AF_UNIX : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }
    try #require(address.withSocketAddress { connect(descriptor, $0, $1) } == 0)
  }

  deinit { close(descriptor) }

  /// Returns the number of bytes sent: fewer than requested if the server closed the connection.
  @discardableResult
  func send(_ text: String) -> Int { send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Int {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { break }
      sent += count
    }
    return sent
  }

  struct Answer {
    var status: Int
    /// The values by lowercase name.
    var headers: [String: String]
    var body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }
    var isProblem: Bool {
      headers["content-type"] == "application/problem+json" && text.hasPrefix(#"{"type":"urn:lifesignal:problem:"#)
    }
  }

  /// Sends a request and reads its answer.
  func exchange(
    _ method: String, _ target: String, headers: [String] = [], body: [UInt8]? = nil
  ) throws -> Answer {
    send(method, target, headers: headers, body: body)
    return try answer(hasBody: method != "HEAD")
  }

  func send(_ method: String, _ target: String, headers: [String] = [], body: [UInt8]? = nil) {
    var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + headers
    if let body { lines.append("Content-Length: \(body.count)") }
    send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? []))
  }

  /// Reads a complete answer with a Content-Length.
  func answer(hasBody: Bool = true) throws -> Answer {
    var answer = try head()
    if hasBody, let length = answer.headers["content-length"].flatMap({ Int($0) }) { answer.body = try take(length) }
    return answer
  }

  /// Reads the head of an answer.
  func head() throws -> Answer {
    let lines = try read(until: "\r\n\r\n").split(separator: "\r\n").map(String.init)
    let status = try #require(lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].drop { $0 == " " }.description
    }
    return Answer(status: status, headers: headers, body: [])
  }

  /// Reads up to and including `mark`.
  func read(until mark: String) throws -> String {
    let mark = Array(mark.utf8)
    while true {
      if let end = unread.indices.first(where: { unread[$0...].starts(with: mark) }) {
        defer { unread.removeFirst(end + mark.count) }
        return String(decoding: unread[..<(end + mark.count)], as: UTF8.self)
      }
      try #require(fill(), "the server closed before \(String(decoding: mark, as: UTF8.self).debugDescription)")
    }
  }

  func take(_ count: Int) throws -> [UInt8] {
    while unread.count < count { try #require(fill(), "the server closed within the body") }
    defer { unread.removeFirst(count) }
    return Array(unread[..<count])
  }

  /// Reads until the server closes the connection. Returns nil if it does not before the timeout.
  func readToEnd() -> String? {
    while true {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EAGAIN { return nil }
      if count <= 0 { return String(decoding: unread, as: UTF8.self) }
      unread += buffer[..<count]
    }
  }

  private func fill() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    unread += buffer[..<count]
    return true
  }
}

extension RawClient {
  /// Waits until data can be read or the server closes the connection. Returns false after the timeout.
  func hasAnswer(withinMilliseconds time: Int32) -> Bool { wait(for: Int16(POLLIN), time) }

  private func wait(for events: Int16, _ time: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    return poll(&entry, 1, time) > 0
  }
}
