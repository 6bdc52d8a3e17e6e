import Dispatch
import Glibc
import SystemKit

@testable import ServerHTTP

/// A responder's web server on loopback: it accepts one request per connection, answers with the given statuses in turn
/// and then always with the last one, and passes the requests to the test.
final class TestReceiver: Sendable {
  struct Received: Sendable {
    var line: String
    /// The values by lowercase name.
    var headers: [String: String]
    var body: [UInt8]
    var path: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
  }

  struct Reply: Sendable {
    var status: Int
    var headers: [String] = []
    var body = ""
    /// Answers after `release` is called.
    var isHeld = false
    static let silence = Reply(status: 200, isHeld: true)
  }

  let port: UInt16
  private let listener: ListeningSocket
  private let state: Lock<(replies: [Reply], received: [Received], held: [(Int32, Reply)])>
  private let arrivals = DispatchSemaphore(value: 0)

  init(_ replies: [Reply] = [Reply(status: 200)]) throws {
    listener = try ListeningSocket(ListenAddress("127.0.0.1:0"))
    port = listener.address.port
    state = Lock((replies, [], []))
    _ = fcntl(listener.socket.number, F_SETFL, 0)
    try SystemThread.detach { [weak self, descriptor = listener.socket.number] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        guard let self else {
          close(connection)
          return
        }
        self.serve(connection)
      }
    }
  }

  deinit {
    for (descriptor, _) in state.withLock({ $0.held }) { close(descriptor) }
    shutdown(listener.socket.number, Int32(SHUT_RDWR))
  }

  /// Waits for the next request. Returns nil if there is none before the timeout.
  func next(withinSeconds seconds: Int = 60) -> Received? {
    guard arrivals.wait(timeout: .now() + .seconds(seconds)) == .success else { return nil }
    return state.withLock { $0.received.removeFirst() }
  }

  /// Answers the requests that are held.
  func release() {
    let held = state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
    for (descriptor, reply) in held { answer(descriptor, reply) }
  }

  /// Whether the sender closes the connection of the first held request.
  func isHungUpOn(withinSeconds seconds: Int32 = 60) -> Bool {
    guard let descriptor = state.withLock({ $0.held.first?.0 }) else { return false }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var byte: UInt8 = 0
    return poll(&entry, 1, seconds * 1000) == 1 && recv(descriptor, &byte, 1, Int32(MSG_PEEK)) <= 0
  }

  private func answer(_ descriptor: Int32, _ reply: Reply) {
    let lines = ["HTTP/1.1 \(reply.status) X", "Content-Length: \(reply.body.utf8.count)", "Connection: close"]
    let text = Array(((lines + reply.headers).joined(separator: "\r\n") + "\r\n\r\n" + reply.body).utf8)
    _ = send(descriptor, text, text.count, Int32(MSG_NOSIGNAL))
    close(descriptor)
  }

  private func serve(_ descriptor: Int32) {
    guard let received = read(descriptor) else {
      close(descriptor)
      return
    }
    let reply = state.withLock { state in
      state.received.append(received)
      return state.replies.count > 1 ? state.replies.removeFirst() : state.replies[0]
    }
    if reply.isHeld { state.withLock { $0.held.append((descriptor, reply)) } } else { answer(descriptor, reply) }
    arrivals.signal()
  }

  private func read(_ descriptor: Int32) -> Received? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    let mark = Array("\r\n\r\n".utf8)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
      guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else { continue }
      let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n").map(String.init)
      var headers: [String: String] = [:]
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].drop { $0 == " " }.description
      }
      let body = bytes[(end + 4)...]
      guard body.count >= headers["content-length"].flatMap({ Int($0) }) ?? 0 else { continue }
      return Received(line: lines.first ?? "", headers: headers, body: Array(body))
    }
  }
}
