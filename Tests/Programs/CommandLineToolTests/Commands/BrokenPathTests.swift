import ChildPrograms
import Glibc
import ProgramTesting
import SystemKit
import Testing

/// A path between the device and the server that lets connections hang, or loses answers.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `On a broken path` {
  private let folder: TemporaryFolder
  private let server: RunningServer
  private let path: BrokenPath
  private let device: TestDevice
  private let other: TestDevice

  init() throws {
    folder = try TemporaryFolder()
    server = try RunningServer(folder)
    path = try BrokenPath(to: server.endpoint)
    device = try TestDevice()
    other = try TestDevice()
    try device.signIn(at: server)
    try other.signIn(at: server)
    try #require(try device.run("config", "set", "endpoint", path.endpoint).status == 0)
  }

  private func startWorker() throws -> RunningProgram {
    let worker = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: device.environment)
    try worker.line(containing: "connected")
    return worker
  }

  @Test func `the alert of another device is ended, though the worker's connections hang`() throws {
    let worker = try startWorker()
    defer { worker.end(by: SIGKILL) }
    path.hang()
    try #require(try other.run("sos", "--yes", "--message", "other").output.contains("RECEIVED"))
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.status == 0 && ended.output.contains("ENDED"), "\(ended)")
    #expect(!ended.output.contains("Nothing to end"), "\(ended)")
  }

  @Test func `a sync beside the worker fetches what is new, or fails`() throws {
    let worker = try startWorker()
    defer { worker.end(by: SIGKILL) }
    path.hang()
    try #require(try other.run("sos", "--yes", "--message", "other").output.contains("RECEIVED"))
    let synced = try device.run("sync")
    #expect(synced.status == 0, "\(synced)")
    #expect(try device.run("alert", "status").output.contains("ALERT ACTIVE"))
    server.stop()
    path.hang()
    let failed = try device.run("sync")
    #expect(failed.status == 75 && failed.error.contains("NOT synced."), "\(failed)")
  }

  @Test func `a call whose answer was lost can be discarded, and ended later`() throws {
    path.losesAnswers = true
    try #require(try device.run("sos", "--yes", "--message", "lost").output.contains("NOT CONFIRMED"))
    let queue = try device.run("queue", "list", "--json").jsonLines()
    let call = try #require(try queue.first { try $0.string("kind") == "alert.activate" }).string("id")
    let refused = try device.run("queue", "discard", call)
    #expect(refused.status == 64 && refused.error.contains("NOT discarded: this is a call for help."), "\(refused)")
    let discarded = try device.run("queue", "discard", call, "--yes")
    #expect(discarded.status == 0, "\(discarded)")
    #expect(discarded.output.contains("may have been received by the server"), "\(discarded)")
    #expect(discarded.error.contains("lifesignal alert deactivate"), "\(discarded)")
    #expect(try !device.run("alert", "status").output.contains("Nobody was told"))
    path.losesAnswers = false
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.status == 0 && ended.output.contains("RECEIVED by the server"), "\(ended)")
    try #require(try other.run("sync").status == 0)
    #expect(try other.run("alert", "status").output.contains("No alert is active."))
  }
}

/// Passes connections on to a server.
final class BrokenPath: Sendable {
  private struct State {
    var connections: [BrokenConnection] = []
    var losesAnswers = false
  }

  private let listener: Int32
  private let port: UInt16
  private let serverPort: UInt16
  private let state = Lock(State())

  init(to endpoint: String) throws {
    serverPort = try #require(endpoint.split(separator: ":").last.flatMap { UInt16($0) })
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(Self.call(bind, listener, 0) && listen(listener, 16) == 0)
    var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    let listener = listener
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
    }
    port = UInt16(bigEndian: address.sin_port)
    try SystemThread.detach { [self] in accept() }
  }

  var endpoint: String { "http://127.0.0.1:\(port)" }

  /// Whether what the server answers is dropped, and the connection ended.
  var losesAnswers: Bool {
    get { state.withLock { $0.losesAnswers } }
    set { state.withLock { $0.losesAnswers = newValue } }
  }

  /// Passes nothing more on of the connections that there are. New ones work.
  func hang() {
    state.withLock { state in for connection in state.connections { connection.isHanging.withLock { $0 = true } } }
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { return }
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      guard Self.call(connect, server, serverPort) else {
        close(client)
        close(server)
        continue
      }
      let connection = BrokenConnection()
      state.withLock { $0.connections.append(connection) }
      try? SystemThread.detach { [self] in pass(from: client, to: server, connection, isAnswer: false) }
      try? SystemThread.detach { [self] in pass(from: server, to: client, connection, isAnswer: true) }
    }
  }

  private func pass(from source: Int32, to target: Int32, _ connection: BrokenConnection, isAnswer: Bool) {
    var buffer = [UInt8](repeating: 0, count: 16384)
    while true {
      let count = read(source, &buffer, buffer.count)
      if connection.isHanging.withLock({ $0 }) {
        guard count > 0 else { return }
        continue
      }
      if count <= 0 || isAnswer && losesAnswers { break }
      guard send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
    }
    shutdown(source, Int32(SHUT_RDWR))
    shutdown(target, Int32(SHUT_RDWR))
  }

  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32, _ port: UInt16
  ) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}

final class BrokenConnection: Sendable {
  let isHanging = Lock(false)
}
