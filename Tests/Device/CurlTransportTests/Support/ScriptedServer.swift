import Glibc
import SystemKit

@testable import CurlTransport

/// A server on 127.0.0.1 that answers each request as its script says, with a thread per connection.
final class ScriptedServer: Sendable {
  /// Returns false to close the connection.
  typealias Script = @Sendable (Exchange) -> Bool

  struct Request: Sendable {
    var method: String
    var path: String
    /// Keyed by lowercase name.
    var headers: [String: String]
    var body: [UInt8]
  }

  private struct State {
    var requests: [Request] = []
    var connections = 0
    var descriptors: Set<Int32> = []
    var isClosed = false
  }

  let port: UInt16
  private let listener: Int32
  private let state = Lock(State())

  /// - Parameter greeting: is sent on each new connection, before any request.
  init(greeting: String = "", _ script: @escaping Script) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isListening else { throw SyncWorkerError(.system, "the test's server cannot listen") }
    port = UInt16(bigEndian: address.sin_port)
    // The thread retains the server: a test that only uses the URL may release it.
    try WorkerThread.start { [self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0, admit(connection) else { break }
        guard (try? WorkerThread.start { self.serve(connection, greeting, script) }) != nil else { break }
      }
      Glibc.close(descriptor)
    }
  }

  var url: String { "http://127.0.0.1:\(port)" }
  var requests: [Request] { state.withLock { $0.requests } }
  var connectionCount: Int { state.withLock { $0.connections } }
  var openConnectionCount: Int { state.withLock { $0.descriptors.count } }

  /// Closes the listener and all connections.
  func close() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
      // Wakes `accept`, whose thread closes it; no more connections are accepted.
      shutdown(listener, Int32(SHUT_RDWR))
    }
  }

  private func admit(_ connection: Int32) -> Bool {
    state.withLock { state in
      guard !state.isClosed else {
        Glibc.close(connection)
        return false
      }
      state.connections += 1
      state.descriptors.insert(connection)
      return true
    }
  }

  private func serve(_ connection: Int32, _ greeting: String, _ script: Script) {
    Exchange(request: .init(method: "", path: "", headers: [:], body: []), connection: connection).send(greeting)
    var reader = RequestReader(connection)
    while let request = reader.next() {
      state.withLock { $0.requests.append(request) }
      guard script(Exchange(request: request, connection: connection)) else { break }
    }
    state.withLock { _ = $0.descriptors.remove(connection) }
    Glibc.close(connection)
  }
}

/// One request, and the means to answer it.
struct Exchange {
  let request: ScriptedServer.Request
  let connection: Int32

  /// Returns false once the peer has closed the connection.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// A valid answer on a connection that stays open.
  @discardableResult
  func answer(
    _ body: String, status: String = "200 OK", type: String = "application/json", headers: String = ""
  ) -> Bool {
    send(
      "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
  }

  /// Waits until the peer closes, or for `milliseconds`. Returns whether it closed.
  @discardableResult
  func waitForPeerToLeave(milliseconds: Int32 = -1) -> Bool {
    var poll = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
    guard Glibc.poll(&poll, 1, milliseconds) > 0 else { return false }
    var byte: UInt8 = 0
    return recv(connection, &byte, 1, Int32(MSG_PEEK)) <= 0
  }
}

/// Reads consecutive requests from a connection.
private struct RequestReader {
  let connection: Int32
  private var buffer: [UInt8] = []

  init(_ connection: Int32) { self.connection = connection }

  mutating func next() -> ScriptedServer.Request? {
    while true {
      if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
        let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components("\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          guard let colon = line.firstIndex(of: ":") else { continue }
          headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        let first = lines[0].split(separator: " ").map(String.init)
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        guard first.count == 3 else { return nil }
        while buffer.count < end.upperBound + length { guard fill() else { return nil } }
        let body = Array(buffer[end.upperBound..<end.upperBound + length])
        buffer.removeFirst(end.upperBound + length)
        return .init(method: first[0], path: first[1], headers: headers, body: body)
      }
      guard fill() else { return nil }
    }
  }

  private mutating func fill() -> Bool {
    var piece = [UInt8](repeating: 0, count: 16 << 10)
    let count = recv(connection, &piece, piece.count, 0)
    guard count > 0 else { return false }
    buffer += piece.prefix(count)
    return true
  }
}

extension String {
  fileprivate func components(_ separator: String) -> [String] {
    split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }
}
