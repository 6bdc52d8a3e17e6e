import ChildPrograms
import Foundation
import Glibc
import Testing

/// A program that runs beside the test, whose output lines can be awaited. It is killed when the value is released.
package final class RunningProgram {
  private let program: ChildProgram
  private let output = Pipe()
  private let input = Pipe()
  private var unread: [UInt8] = []
  package private(set) var lines: [String] = []

  package init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    let end = ChildProgram.Stream.file(output.fileHandleForWriting)
    program = try ChildProgram(
      path, arguments, environment: environment, input: .file(input.fileHandleForReading), output: end, error: end)
    try output.fileHandleForWriting.close()
    try input.fileHandleForReading.close()
  }

  /// Reads until a line contains `text`, and returns that line; fails after 20 s without output.
  @discardableResult
  package func line(containing text: String) throws -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        lines.append(line)
        if line.contains(text) { return line }
      } else {
        try readMore(waitingFor: text)
      }
    }
  }

  package func type(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

  package var processID: Int32 { program.id }

  package func send(_ signal: Int32) { program.signal(signal) }

  /// Stops it as a debugger would, and returns once it is stopped.
  package func stop() throws {
    send(SIGSTOP)
    try program.waitUntilStopped()
  }

  /// Ends it by `signal`, if given, and returns its exit status.
  @discardableResult
  package func end(by signal: Int32? = nil) -> Int32 {
    if let signal { send(signal) }
    do { return try program.waitForEnd().shellStatus } catch {
      Issue.record(error)
      return -1
    }
  }

  private func readMore(waitingFor text: String) throws {
    let descriptor = output.fileHandleForReading.fileDescriptor
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    try #require(poll(&waiting, 1, 20_000) == 1, "waited for “\(text)” and saw \(lines)")
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &buffer, buffer.count)
    try #require(count > 0, "it ended before “\(text)”, and said \(lines)")
    unread += buffer[..<count]
  }
}

/// The built server on one database, with a port that it keeps from its first start, so that no server of another test answers
/// there while this one is stopped.
package final class RunningServer {
  private var program: RunningProgram?
  private var reservation: PortReservation?
  package private(set) var port = 0

  /// What the next start is given as its database.
  package var database: String

  /// - Parameter database: nil: a file in the folder.
  package init(_ folder: TemporaryFolder, database: String? = nil) throws {
    self.database = database ?? folder.path("server.sqlite")
    try start()
  }

  package var endpoint: String { "http://127.0.0.1:\(port)" }

  package func start() throws {
    reservation = nil
    let program = try RunningProgram(
      Programs.server,
      [
        "--listen", "127.0.0.1:\(port)", "--database", database, "--sms", "console", "--allow-private-channels",
      ])
    self.program = program
    let line = try program.line(containing: "listening on http://127.0.0.1:")
    let number = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/)).1
    port = try #require(Int(number))
  }

  package func stop() {
    program?.end(by: SIGTERM)
    program = nil
    if reservation == nil { reservation = PortReservation(port) }
  }

  /// Waits for such a line of its log.
  package func log(containing text: String) throws { try program?.line(containing: text) }

  /// The next code in its log.
  package func code() throws -> String {
    let line = try #require(try program?.line(containing: "code for "))
    return String(try #require(line.firstMatch(of: /: (\d{6})/)).1)
  }
}

/// A loopback port that is bound and refuses connections.
private final class PortReservation {
  private let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)

  init(_ port: Int) {
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if !isBound { Issue.record("port \(port) was taken by somebody else: \(errno)") }
  }

  deinit { close(descriptor) }
}
