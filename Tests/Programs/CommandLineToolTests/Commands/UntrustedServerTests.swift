import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import Testing

/// A server whose certificate this device does not trust.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `A server that is not trusted` {
  private let device: TestDevice
  private let server: RunningProgram

  init() throws {
    device = try TestDevice()
    let folder = device.folder
    try folder.makeCertificate("own", for: "IP:127.0.0.1")
    server = try RunningProgram(
      Programs.server,
      [
        "--listen", "127.0.0.1:0", "--database", folder.path("server.sqlite"), "--sms", "console",
        "--tls-certificate", folder.path("own.pem"), "--tls-key", folder.path("own-key.pem"),
      ])
    let address = try #require(try server.line(containing: "listening on https://").split(separator: " ").last)
    try #require(try device.run("config", "set", "endpoint", String(address)).status == 0)
  }

  @Test func `is told as such, with what to do, and works once its authority is known`() throws {
    let refused = try device.run("sign-in", "+12025550123")
    #expect(refused.status == 75, "\(refused)")
    #expect(refused.error.hasPrefix("lifesignal: the server's certificate cannot be trusted"), "\(refused)")
    #expect(refused.error.contains("lifesignal config set ca_file FILE"), "\(refused)")
    #expect(!refused.error.contains("Try again later"), "\(refused)")
    let told = try device.run("sign-in", "+12025550123", "--json")
    #expect(try told.jsonError().string("code") == "untrusted_server")

    try #require(try device.run("config", "set", "ca_file", device.folder.path("own.pem")).status == 0)
    let trusted = try device.run("sign-in", "+12025550123")
    #expect(trusted.status == 77 && trusted.error.contains("a code was sent"), "\(trusted)")
    #expect(server.end(by: SIGTERM) == 0)
  }

  @Test func `is told by sync too`() throws {
    let here = try device.run("config", "get", "endpoint").output
    try device.signInLocally(endpoint: String(here.dropLast()))
    let refused = try device.run("sync")
    #expect(refused.status == 75 && refused.error.contains("lifesignal config set ca_file FILE"), "\(refused)")
  }
}
