import Dispatch
import Glibc
import SystemKit
import Testing

/// A gpsd on loopback: sends lines to the first client, once that has asked.
package final class FakeGPSD: Sendable {
  package let port: UInt16
  private let listener: Int32
  private let asked = Lock("")
  private let hasAsked = DispatchSemaphore(value: 0)

  /// - Parameter closes: whether it ends the connection behind the lines.
  package init(_ lines: [String], closes: Bool = false) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 4) == 0 && getsockname(listener, address, &length) == 0
      }
    }
    try #require(isBound)
    port = UInt16(bigEndian: address.sin_port)
    try SystemThread.detach { [self] in
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { return }
      serve(connection, lines, closes: closes)
    }
  }

  deinit { close(listener) }

  /// What the client asked; waits for it.
  package var question: String {
    _ = hasAsked.wait(timeout: .now() + 20)
    return asked.withLock { $0 }
  }

  private func serve(_ connection: Int32, _ lines: [String], closes: Bool) {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(connection, &buffer, buffer.count)
    asked.withLock { $0 = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self) }
    hasAsked.signal()
    for line in lines {
      let bytes = Array(line.utf8)
      guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { break }
    }
    // Until the client ends the connection.
    if !closes { _ = read(connection, &buffer, 1) }
    close(connection)
  }
}
