import ChildPrograms
import CurlKit
import Foundation
import ServerCore
import TestSupport
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `The HTTP shell with a certificate` {
  private let folder: ScratchFolder
  private let identity: TLSIdentity

  init() throws {
    folder = ScratchFolder(in: ScratchFolder.onDisk)
    identity = try Self.makeIdentity(folder, "certificate")
  }

  /// Makes a certificate for localhost, in the way of an operator.
  private static func makeIdentity(_ folder: ScratchFolder, _ name: String) throws -> TLSIdentity {
    let (certificate, key) = ("\(folder.path)/\(name).pem", "\(folder.path)/\(name)-key.pem")
    let arguments =
      ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
      + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
      + ["-keyout", key, "-out", certificate]
    try #require(try ChildProgram.run("/usr/bin/env", arguments) == .status(0))
    return TLSIdentity(
      certificate: try String(contentsOfFile: certificate, encoding: .utf8),
      key: try String(contentsOfFile: key, encoding: .utf8))
  }

  private func start(_ identity: TLSIdentity) throws -> HTTPShell {
    let settings = HTTPSettings()
    return try HTTPShell.start(
      on: ListeningSocket(ListenAddress("127.0.0.1:0")), settings: settings, tls: identity, hub: EventHub(settings),
      admit: { _, _ in .now(.upTo(SyncLimits.maximumBodyBytes)) },
      respond: { request in .now(.text("\(request.body.count)")) })
  }

  private func request(
    _ shell: HTTPShell, body: [UInt8] = [], trusting name: String = "certificate"
  ) throws -> CurlResponse {
    try CurlCaller.perform(
      CurlRequest(
        method: "POST", url: "https://localhost:\(shell.address.port)/", body: body,
        certificateAuthorityFile: "\(folder.path)/\(name).pem", addressPolicy: .any))
  }

  @Test func `answers over TLS, with strict transport security`() throws {
    let shell = try start(identity)
    defer { shell.stop() }
    let answer = try request(shell, body: [UInt8](repeating: 0x20, count: 300_000))
    #expect(answer.status == 200)
    #expect(answer.body == Array("300000".utf8))
    #expect(answer.head.headers["strict-transport-security"] == "max-age=31536000")
  }

  @Test func `refuses a large body with a problem`() throws {
    let shell = try start(identity)
    defer { shell.stop() }
    let answer = try request(shell, body: [UInt8](repeating: 0x20, count: 2 << 20))
    #expect(answer.status == 413)
    #expect(answer.head.mediaType == Problem.mediaType)
  }

  @Test func `does not answer plain HTTP`() throws {
    let shell = try start(identity)
    defer { shell.stop() }
    let client = try RawClient(port: shell.address.port)
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(client.readToEnd()?.contains("HTTP") == false)
  }

  @Test func `has another certificate for new connections, as soon as it is given one that can be used`() throws {
    let shell = try start(identity)
    defer { shell.stop() }
    #expect(try request(shell).status == 200)
    let renewed = try Self.makeIdentity(folder, "renewed")
    #expect(throws: (any Error).self) { try request(shell, trusting: "renewed") }
    let mixed = TLSIdentity(certificate: renewed.certificate, key: identity.key)
    #expect(throws: ServerError.self) { try mixed.check() }
    try renewed.check()
    let error = #expect(throws: ServerError.self) { try shell.use(mixed) }
    #expect(error?.code == .tls)
    #expect(try request(shell).status == 200)
    try shell.use(renewed)
    #expect(try request(shell, trusting: "renewed").status == 200)
    #expect(throws: (any Error).self) { try request(shell) }
  }

  @Test func `servers of one process have certificates of their own`() throws {
    let other = try Self.makeIdentity(folder, "other")
    let shells = [try start(identity), try start(other)]
    defer { for shell in shells { shell.stop() } }
    #expect(try request(shells[0]).status == 200)
    #expect(try request(shells[1], trusting: "other").status == 200)
  }

  @Test func `does not start with an invalid certificate`() throws {
    let error = #expect(throws: ServerError.self) {
      try start(TLSIdentity(certificate: "none", key: identity.key))
    }
    #expect(error?.code == .tls)
  }
}
