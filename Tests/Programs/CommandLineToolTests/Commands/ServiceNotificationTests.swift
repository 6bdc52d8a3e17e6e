import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import Testing

/// What `lifesignal-server` and `lifesignal sync --watch` tell systemd: sd_notify(3).
@Suite(.blocking, .timeLimit(.minutes(10))) struct `A service` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func start(_ environment: [String: String]) throws -> RunningProgram {
    try RunningProgram(
      Programs.server, ["--listen", "127.0.0.1:0", "--database", folder.path("server.sqlite")], environment: environment
    )
  }

  @Test(arguments: [false, true])
  func `tells that it is ready, reads its settings again, and stops`(isAbstract: Bool) throws {
    let path = folder.path("notify")
    let manager = try NotificationSocket(isAbstract ? "@" + path : path)
    let server = try start(["NOTIFY_SOCKET": manager.address])
    #expect(try manager.next() == "READY=1")
    server.send(SIGHUP)
    let reloading = try manager.next()
    #expect(reloading.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") && reloading.last?.isNumber == true)
    #expect(try manager.next() == "STATUS=")
    #expect(try manager.next() == "READY=1")
    #expect(server.end(by: SIGTERM) == 0)
    #expect(try manager.next() == "STOPPING=1")
  }

  @Test func `tells which settings it refused, until it takes some`() throws {
    let file = folder.path("server.conf")
    func write(_ text: String) throws {
      try Data("database = \(folder.path("server.sqlite"))\nlisten = 127.0.0.1:0\n\(text)".utf8).write(
        to: URL(fileURLWithPath: file))
    }
    try write("")
    let manager = try NotificationSocket(folder.path("notify"))
    let server = try RunningProgram(
      Programs.server, ["--config", file], environment: ["NOTIFY_SOCKET": manager.address])
    #expect(try manager.next() == "READY=1")
    for (text, status) in [
      ("max-bodies = 1", "settings refused: --max-bodies must be a number from 4 to 100000; the former ones stay"),
      ("max-bodies = 4", ""),
    ] {
      try write(text)
      server.send(SIGHUP)
      #expect(try manager.next().hasPrefix("RELOADING=1\n"))
      #expect(try manager.next() == "STATUS=\(status)")
      #expect(try manager.next() == "READY=1")
    }
    #expect(server.end(by: SIGTERM) == 0)
  }

  @Test func `of a device tells that it is ready, and stops`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:9")
    let manager = try NotificationSocket(folder.path("notify"))
    let environment = device.environment.merging(["NOTIFY_SOCKET": manager.address]) { $1 }
    let worker = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: environment)
    #expect(try manager.next() == "READY=1")
    let second = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: environment)
    #expect(try manager.next() == "READY=1")
    // Where another one runs it stands by, and is ready.
    for program in [second, worker] {
      #expect(program.end(by: SIGTERM) == 0)
      #expect(try manager.next() == "STOPPING=1")
    }
  }

  @Test func `of a device tells again and again that it moves, also while it stands by`() throws {
    let device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:9")
    var workers: [RunningProgram] = []
    for name in ["first", "second"] {
      let manager = try NotificationSocket(folder.path(name))
      let watched = ["NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "300000"]
      workers.append(
        try RunningProgram(
          Programs.lifesignal, ["sync", "--watch"], environment: device.environment.merging(watched) { $1 }))
      let told = try (0..<4).map { _ in try manager.next() }
      #expect(told.sorted() == ["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"], "\(name)")
    }
    for worker in workers { #expect(worker.end(by: SIGTERM) == 0) }
  }

  @Test func `tells again and again that it is alive, where somebody waits for that`() throws {
    let manager = try NotificationSocket(folder.path("notify"))
    let server = try start(["NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "300000"])
    #expect(try manager.next() == "READY=1")
    for _ in 0..<3 { #expect(try manager.next() == "WATCHDOG=1") }
    #expect(server.end(by: SIGTERM) == 0)
  }

  @Test(arguments: ["/nowhere/socket", "relative", "", "@" + String(repeating: "x", count: 200)])
  func `runs where nobody can be told`(address: String) throws {
    let server = try start(["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "300000"])
    try server.line(containing: "listening on")
    #expect(server.end(by: SIGTERM) == 0)
  }

}

/// In systemd's place.
private final class NotificationSocket {
  let address: String
  private let descriptor: Int32

  /// - Parameter address: a path, or a name in the abstract namespace, which begins with `@`.
  init(_ address: String) throws {
    self.address = address
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { path in
      path.copyBytes(from: address.utf8)
      if address.hasPrefix("@") { path[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + address.utf8.count)
    let bound = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    try #require(bound == 0)
  }

  deinit { close(descriptor) }

  /// Waits for it.
  func next() throws -> String {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    try #require(Glibc.poll(&poll, 1, 60_000) == 1, "nothing was told")
    var bytes = [UInt8](repeating: 0, count: 1000)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
