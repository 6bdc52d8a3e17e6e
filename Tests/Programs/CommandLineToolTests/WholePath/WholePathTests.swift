import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import Testing

/// The built command line, the built server and a responder's web server, over loopback.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `The whole path` {
  private static let phone = "+12025550123"

  private func signIn(_ device: TestDevice, _ server: RunningServer) throws {
    try #require(try device.run("config", "set", "endpoint", server.endpoint).status == 0)
    let program = try RunningProgram(
      Programs.lifesignal, ["sign-in", Self.phone], environment: device.environment)
    try program.line(containing: "A code was sent")
    try program.type(server.code() + "\n")
    try program.line(containing: "Signed in")
    try #require(program.end() == 0)
  }

  @Test func `an alert raised without a server reaches a responder once there is one`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    try signIn(device, server)
    try device.addResponder(at: receiver)
    let first = try device.run("sync", "--json")
    #expect(first.status == 0)
    #expect(try first.json().integer("pushed") == 1)
    #expect(try first.json().isNull("error"))

    server.stop()
    #expect(try device.run("alert", "activate", "--yes", "--no-sync", "--message", "fell").status == 0)
    let offline = try device.run("sync", "--json")
    #expect(offline.status == 75)
    #expect(try offline.json().integer("pending") == 2)
    #expect(try offline.json().object("error").string("code") == "offline")
    #expect(try device.run("sync").error.contains("stays safe"))

    try server.start()
    let worker = try RunningProgram(Programs.lifesignal, ["sync", "--watch"], environment: device.environment)
    #expect(try receiver.next().contains("fell"))
    try worker.line(containing: "Ana: sent by webhook")
    let status = try device.run("alert", "status", "--json").json()
    #expect(try status.object("delivery").string("stage") == "accepted")
    #expect(try !status.object("delivery").string("accepted_at").isEmpty)
    let responder = try #require(try status.object("delivery").objects("responders").first)
    #expect(try responder.string("name") == "Ana")
    #expect(try responder.string("state") == "sent")
    #expect(try responder.string("channel") == "webhook")
    #expect(responder.keys.isSuperset(of: ["contact_id", "at"]))
    // Nobody has answered a test yet.
    let doctor = try device.run("doctor")
    #expect(doctor.status == 69 && doctor.output.contains("FAIL  NOT READY"), "\(doctor)")

    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.status == 0)
    #expect(ended.output.contains("RECEIVED by the server"))
    #expect(try receiver.next().contains("safe now"))
    worker.send(SIGHUP)
    try worker.line(containing: "The settings changed")
    let started = Date()
    #expect(worker.end(by: SIGTERM) == 0)
    #expect(Date().timeIntervalSince(started) < 2)
    let history = try device.run("alert", "history", "--json").jsonLines()
    #expect(try history.map { try $0.string("stage") } == ["accepted"])
    #expect(try device.run("sign-out").status == 0)
    #expect(try device.run("contacts", "list", "--json").jsonLines().map(\.keys) == [["readiness"]])
    server.stop()
  }

  @Test func `online, raising an alert shows the responder's state in the same run`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    let receiver = try WebhookReceiver()
    defer { receiver.stop() }
    // Raised before the first sign-in: it belongs to the account that signs in.
    #expect(try device.run("alert", "activate", "--yes").output.contains("not signed in"))
    try device.addResponder(at: receiver)
    try signIn(device, server)
    #expect(try receiver.next().contains("needs help"))
    try device.run("alert", "deactivate", "--yes")
    _ = try receiver.next()
    let raised = try device.run("alert", "activate", "--yes", "--message", "again")
    #expect(raised.status == 0)
    #expect(raised.output.contains("Ana: sent by webhook"))
    #expect(try receiver.next().contains("again"))
    let refused = try device.run("sign-out")
    #expect(refused.status == 0, "nothing is queued: \(refused.error)")
    server.stop()
  }

  @Test func `wrong, late and used codes are refused by the server, with advice`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    try device.run("config", "set", "endpoint", server.endpoint)
    // Standard input is closed: the code is requested, and the program says how to continue.
    let asked = try device.run("sign-in", Self.phone)
    #expect(asked.status == 77)
    #expect(asked.error.contains("--code CODE"))
    #expect(try device.folder.mode(of: "home/verification") == 0o600)
    let code = try server.code()
    let wrong = String(code.map { $0 == "9" ? "0" : Character(String(($0.wholeNumberValue ?? 0) + 1)) })
    let refused = try device.run("sign-in", Self.phone, "--code", wrong)
    #expect(refused.status == 69)
    #expect(refused.error.contains("lifesignal sign-in"))
    #expect(try device.run("sign-in", Self.phone, "--code", wrong, "--json").jsonError().string("code") == "code_wrong")
    for _ in 0..<3 { try device.run("sign-in", Self.phone, "--code", wrong) }
    let sixth = try device.run("sign-in", Self.phone, "--code", code, "--json")
    #expect(sixth.status == 69)
    #expect(try sixth.jsonError().string("code") == "code_tries_exhausted")
    #expect(try device.run("sync").status == 77)
    server.stop()
  }

  @Test func `a code that was requested in another run signs in`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    try device.run("config", "set", "endpoint", server.endpoint)
    #expect(try device.run("sign-in", Self.phone).status == 77)
    let code = try server.code()
    let outcome = try device.run("sign-in", "+1 202 555 0123", "--code", code, "--json")
    #expect(outcome.status == 0)
    #expect(try outcome.json().string("phone") == Self.phone)
    #expect(!device.folder.names(in: "home").contains("verification"))
    try device.run("alert", "activate", "--yes", "--no-sync")
    let refused = try device.run("sign-out")
    #expect(refused.status == 75)
    #expect(refused.error.contains("--discard-pending"))
    let another = try device.run("sign-in", "+12025550199")
    #expect(another.status == 75)
    #expect(try device.run("sign-out", "--discard-pending").status == 0)
    server.stop()
  }

  @Test func `a portal's page is not our server, and loses nothing`() throws {
    let device = try TestDevice()
    let server = try RunningServer(device.folder)
    try signIn(device, server)
    let portal = try WebhookReceiver()
    defer { portal.stop() }
    try device.run("config", "set", "endpoint", "http://127.0.0.1:\(portal.port)")
    try device.run("alert", "activate", "--yes", "--no-sync")
    let outcome = try device.run("sync")
    #expect(outcome.status == 75)
    #expect(outcome.error.contains("instead of your server"))
    #expect(try device.run("status").output.contains("instead of your server"))
    #expect(try device.run("alert", "status", "--json").json().object("sync").integer("pending") == 2)
    server.stop()
  }
}
