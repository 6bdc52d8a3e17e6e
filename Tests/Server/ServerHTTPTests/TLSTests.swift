import ChildPrograms
import CurlKit
import Foundation
import ServerCore
import TestSupport
import Testing
import Wire

@testable import ServerHTTP

@Suite struct `The HTTP shell with a certificate` {
  private let folder: ScratchFolder
  private let identity: TLSIdentity

  /// Makes a certificate for localhost, in the way of an operator.
  init() throws {
    folder = ScratchFolder(in: ScratchFolder.onDisk)
    let arguments =
      ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
      + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
      + ["-keyout", folder.path + "/key.pem", "-out", folder.path + "/certificate.pem"]
    try #require(try ChildProgram.run("/usr/bin/env", arguments) == .status(0))
    identity = TLSIdentity(
      certificate: try String(contentsOfFile: folder.path + "/certificate.pem", encoding: .utf8),
      key: try String(contentsOfFile: folder.path + "/key.pem", encoding: .utf8))
  }

  private func start(_ identity: TLSIdentity) throws -> HTTPShell {
    let settings = HTTPSettings()
    return try HTTPShell.start(
      on: ListeningSocket(ListenAddress("127.0.0.1:0")), settings: settings, tls: identity, hub: EventHub(settings)
    ) { request in .now(.text("\(request.body.count)")) }
  }

  private func request(_ shell: HTTPShell, body: [UInt8] = []) throws -> CurlResponse {
    try CurlCaller.perform(
      CurlRequest(
        method: "POST", url: "https://localhost:\(shell.address.port)/", body: body,
        certificateAuthorityFile: folder.path + "/certificate.pem", addressPolicy: .any))
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

  @Test func `does not start with an invalid certificate`() throws {
    let error = #expect(throws: ServerError.self) {
      try start(TLSIdentity(certificate: "none", key: identity.key))
    }
    #expect(error?.code == .tls)
  }
}
