import ChildPrograms
import Glibc
import ServerCore
import SystemKit
import TestSupport
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `A Unix socket` {
  private let folder = ScratchFolder(in: ScratchFolder.onDisk)
  private var path: String { folder.path + "/server.sock" }

  private func shell(_ adjust: (inout HTTPSettings) -> Void = { _ in }) throws -> HTTPShell {
    var settings = HTTPSettings()
    adjust(&settings)
    return try HTTPShell.start(
      on: ListeningSocket(ListenAddress("unix:\(path)")), settings: settings, tls: nil, hub: EventHub(settings),
      admit: { _, _ in .now(.upTo(100)) }, respond: { .now(.text($0.remoteAddress)) })
  }

  @Test func `is served like an address, and is gone at the end`() throws {
    let shell = try shell()
    #expect(shell.address.description == "unix:\(path)")
    for _ in 0..<3 { #expect(try RawClient(path: path).exchange("POST", "/", body: [1, 2]).text == "unix") }
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o660)
    shell.stop()
    #expect(access(path, F_OK) != 0)
  }

  @Test func `that was left by a process that died is used again`() throws {
    _ = try ListeningSocket(ListenAddress("unix:\(path)"))
    #expect(access(path, F_OK) == 0)
    let shell = try shell()
    #expect(try RawClient(path: path).exchange("GET", "/").status == 200)
    shell.stop()
  }

  @Test func `of a running server, or a file of another kind, is left alone`() throws {
    let running = try shell()
    #expect(throws: ServerError.self) { try shell() }
    #expect(try RawClient(path: path).exchange("GET", "/").status == 200)
    running.stop()
    close(open(path, O_CREAT | O_WRONLY, 0o600))
    #expect(throws: ServerError.self) { try shell() }
    #expect(access(path, F_OK) == 0)
  }

  @Test(arguments: ["unix:", "unix:relative", "unix:/" + String(repeating: "a", count: 107), "UNIX:/x"])
  func `has an absolute path that fits`(_ text: String) {
    #expect(throws: ServerError.self) { try ListenAddress(text) }
  }

  @Test func `of a trusted proxy: the client is who the proxy says, over all its headers`() throws {
    let shell = try shell { $0.trustedProxies = TrustedProxies("unix,10.0.0.0/8") ?? TrustedProxies() }
    let client = try RawClient(path: path)
    let forged = "Forwarded: for=192.0.2.1"
    #expect(try client.exchange("GET", "/", headers: [forged, "forwarded: for=203.0.113.7"]).text == "203.0.113.7")
    #expect(
      try client.exchange("GET", "/", headers: [forged + ", for=203.0.113.8, for=10.0.0.1"]).text == "203.0.113.8")
    #expect(try client.exchange("GET", "/").text == "unix")
    shell.stop()
  }

  @Test func `has no limit of one address where the proxy is trusted`() throws {
    let shell = try shell {
      $0.trustedProxies = TrustedProxies("unix") ?? TrustedProxies()
      $0.limitsLoopback = true
      $0.maximumConnectionsPerAddress = 2
    }
    let clients = try (0..<5).map { _ in try RawClient(path: path) }
    for client in clients { #expect(try client.exchange("GET", "/").status == 200) }
    shell.stop()
  }
}
