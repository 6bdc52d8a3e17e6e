import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import Testing

/// The programs without their plug-in for telephone numbers.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `Phone numbers that cannot be checked` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A copy of a program without its plug-in. A separate process writes it: a child that another test starts meanwhile
  /// would inherit our descriptor, and a file that is open for writing cannot be executed (ETXTBSY).
  private func alone(_ program: String) throws -> String {
    let copy = folder.path(URL(fileURLWithPath: program).lastPathComponent)
    try #require(try ChildProgram.run("/bin/cp", [program, copy]) == .status(0))
    return copy
  }

  @Test func `a server says at its start, at each sign-in and on request that nobody can sign in`() throws {
    let server = try RunningProgram(
      alone(Programs.server),
      ["--listen", "127.0.0.1:0", "--database", folder.path("server.sqlite"), "--sms", "console"])
    let said = try server.line(containing: "phone numbers cannot be checked, so nobody can sign in")
    #expect(said.contains("liblifesignal-phone.so"))
    let line = try server.line(containing: "listening on http://127.0.0.1:")
    let endpoint = "http://127.0.0.1:" + String(try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/)).1)

    let device = try TestDevice()
    try #require(try device.run("config", "set", "endpoint", endpoint).status == 0)
    let refused = try device.run("sign-in", "+12025550123")
    #expect(refused.status != 0)
    #expect(refused.error.contains("The server cannot check phone numbers"), "\(refused.error)")
    let logged = try server.line(containing: "a sign-in was refused")
    #expect(logged.contains("liblifesignal-phone.so"))
    #expect(!logged.contains("2025550123"))

    let findings = try device.run("doctor", "--json").jsonLines()
    let own = try #require(try findings.first { try $0.string("check") == "phone_numbers" })
    #expect(try own.string("state") == "ok")
    let asked = try #require(try findings.first { try $0.string("check") == "server" })
    #expect(try asked.string("state") == "warn")
    #expect(try asked.string("message").contains("The server cannot check phone numbers"))
    let endpointFinding = try #require(try findings.first { try $0.string("check") == "endpoint" })
    #expect(try endpointFinding.string("state") == "ok")
    #expect(server.end(by: SIGTERM) == 0)
  }

  @Test func `a device says that its own library is missing`() throws {
    let program = try RunningProgram(
      alone(Programs.lifesignal), ["doctor"],
      environment: ["LIFESIGNAL_HOME": folder.path("home"), "HOME": folder.path])
    try program.line(containing: "this device cannot check phone numbers")
    try program.line(containing: "apt install libphonenumber8")
    program.end()
  }
}
