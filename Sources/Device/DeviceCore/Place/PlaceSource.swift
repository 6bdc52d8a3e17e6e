import Glibc
package import Model
import SystemKit

/// A gpsd, and where it listens.
package struct PlaceSource: Hashable, Sendable {
  package let host: String
  package let port: UInt16

  /// Where gpsd listens unless it is told otherwise.
  package static let standard = PlaceSource(host: "localhost", port: 2947)
  /// What switches it off in place of an address.
  package static let off = "off"

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`.
  package init(_ text: String) throws(InvalidInput) {
    let invalid = InvalidInput(.location, "gpsd must be HOST:PORT, as in localhost:2947, or off")
    var host = text[...], port = "2947"[...]
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      if !rest.isEmpty {
        guard rest.first == ":" else { throw invalid }
        port = rest.dropFirst()
      }
    } else if let colon = text.lastIndex(of: ":") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    guard !host.isEmpty, host.utf8.count <= 255, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0,
      !host.contains("["), text.hasPrefix("[") || !host.contains(":")
    else { throw invalid }
    self.init(host: String(host), port: number)
  }

  /// Asks it for a place; nil if it gives none in time. Blocks the calling thread: looking up another host than an address may take longer.
  package func place(withinMilliseconds milliseconds: Int) -> FoundPlace? {
    let deadline = Deadline(millisecondsFromNow: milliseconds)
    for address in addresses {
      guard deadline.remainingMilliseconds > 0 else { return nil }
      guard let connection = Self.connected(to: address, until: deadline), Self.ask(connection) else { continue }
      return Self.read(connection, until: deadline)
    }
    return nil
  }

  private static let question = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)

  /// An address with what socket(2) needs for it.
  private struct Address {
    let family: Int32
    let bytes: [UInt8]
  }

  /// Whether its address is known without asking anybody: then `place` ends in time.
  package var isAddressKnown: Bool { host == Self.standard.host || isNumeric }

  private var isNumeric: Bool {
    var address = in6_addr()
    return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
  }

  private var addresses: [Address] {
    // What `localhost` means is no question for the resolver, which reads five files for it (RFC 6761, 6.3).
    guard host != Self.standard.host else {
      return ["127.0.0.1", "::1"].flatMap { PlaceSource(host: $0, port: port).foundAddresses(AI_NUMERICHOST) }
    }
    return foundAddresses(isNumeric ? AI_NUMERICHOST : 0)
  }

  private func foundAddresses(_ flags: Int32) -> [Address] {
    var hints = addrinfo()
    hints.ai_flags = flags
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    return sequence(first: first) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
      guard let entry = entry?.pointee, let address = entry.ai_addr else { return nil }
      let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
      return Address(family: entry.ai_family, bytes: Array(bytes))
    }
  }

  private static func connected(to address: Address, until deadline: Deadline) -> FileDescriptor? {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard let connection = FileDescriptor(owning: socket(address.family, kind, 0)) else { return nil }
    let result = address.bytes.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { connect(connection.number, $0.baseAddress, socklen_t(bytes.count)) }
    }
    guard result == 0 || errno == EINPROGRESS else { return nil }
    guard wait(connection.number, for: POLLOUT, until: deadline) else { return nil }
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(connection.number, SOL_SOCKET, SO_ERROR, &error, &length) == 0, error == 0 else { return nil }
    return connection
  }

  /// A new connection has room for so few bytes.
  private static func ask(_ connection: borrowing FileDescriptor) -> Bool {
    send(connection.number, question, question.count, Int32(MSG_NOSIGNAL)) == question.count
  }

  /// How long a place without an accuracy waits for one that has it: gpsd reports after each sentence of a receiver until it knows which is
  /// the last of a second, and the first sentences have none.
  private static let accuracyMilliseconds = 1000

  private static func read(_ connection: borrowing FileDescriptor, until deadline: Deadline) -> FoundPlace? {
    var report = PlaceReport(), found: FoundPlace?, end = deadline
    while !report.isFull, wait(connection.number, for: POLLIN, until: end) {
      let bytes = connection.read(upTo: 16_384)
      // It ended the connection, or that broke.
      guard !bytes.isEmpty else { break }
      guard let place = report.take(bytes) else { continue }
      if place.accuracyMeters != nil { return place }
      if found == nil {
        end = Deadline(millisecondsFromNow: min(deadline.remainingMilliseconds, accuracyMilliseconds))
      }
      found = place
    }
    return found
  }

  /// False at the deadline.
  private static func wait(_ descriptor: Int32, for event: Int32, until deadline: Deadline) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    while deadline.remainingMilliseconds > 0 {
      let count = poll(&waiting, 1, Int32(clamping: deadline.remainingMilliseconds))
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
    return false
  }
}
