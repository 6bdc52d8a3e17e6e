import ChildPrograms
import Glibc
import ProgramTesting
import Testing
import Wire

/// `sign-in` while too many codes are asked for.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `Work before a code` {
  private let device: TestDevice

  init() throws { device = try TestDevice() }

  private func hostileServer(_ zeroBits: Int) throws -> WebhookReceiver {
    var problem = Problem(.rateLimited, "Too many codes were asked for. Ask for another in 12 seconds.")
    problem.work = WorkChallenge(text: "challenge", zeroBits: zeroBits, nonceCount: 8)
    let server = try WebhookReceiver { [problem] _ in problem }
    try #require(try device.run("config", "set", "endpoint", "http://127.0.0.1:\(server.port)").status == 0)
    return server
  }

  @Test func `gets one from the real server at once`() throws {
    let server = try RunningProgram(
      Programs.server,
      [
        "--listen", "127.0.0.1:0", "--database", device.folder.path("server.sqlite"), "--sms", "console",
        "--codes-per-country", "1",
      ])
    let address = try #require(try server.line(containing: "listening on http://").split(separator: " ").last)
    try #require(try device.run("config", "set", "endpoint", String(address)).status == 0)
    for number in 20...23 {
      let asked = try device.run("sign-in", "+120255501\(number)")
      #expect(asked.status == 77 && asked.error.contains("a code was sent"), "\(asked)")
    }
    server.end(by: SIGTERM)
  }

  @Test func `gets none sooner where the operator wants no work`() throws {
    let server = try RunningProgram(
      Programs.server,
      [
        "--listen", "127.0.0.1:0", "--database", device.folder.path("server.sqlite"), "--sms", "console",
        "--codes-per-country", "1", "--codes-for-work", "0",
      ])
    let address = try #require(try server.line(containing: "listening on http://").split(separator: " ").last)
    try #require(try device.run("config", "set", "endpoint", String(address)).status == 0)
    #expect(try device.run("sign-in", "+12025550120").status == 77)
    let refused = try device.run("sign-in", "+12025550121")
    #expect(refused.status == 69 && refused.error.contains("Ask for another in 60 minutes"), "\(refused)")
    server.end(by: SIGTERM)
  }

  @Test func `is told in short lines, and Ctrl-C ends it`() throws {
    let server = try hostileServer(23)
    defer { server.stop() }
    let asking = try RunningProgram(
      Programs.lifesignal, ["sign-in", "+12025550123"], environment: device.environment)
    let line = try asking.line(containing: "doing some work first: about ")
    #expect(line.count <= 80)
    #expect(asking.end(by: SIGINT) != 0)
    #expect(server.heads.count == 1)
  }

  @Test func `of an absurd difficulty is not begun`() throws {
    let server = try hostileServer(60)
    defer { server.stop() }
    let refused = try device.run("sign-in", "+12025550123")
    #expect(refused.status == 69, "\(refused)")
    #expect(refused.error.contains("Too many codes were asked for") && !refused.error.contains("work"), "\(refused)")
    #expect(server.heads.count == 1)
  }
}
