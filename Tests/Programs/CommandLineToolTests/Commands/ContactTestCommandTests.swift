import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import SQLiteKit
import Testing

/// `contacts test`, the readiness that it leads to, and `profile`, with the built programs over loopback.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `A contact is tested` {
  private let device: TestDevice
  private let server: RunningServer
  private let receiver: WebhookReceiver
  private var channel: String { "http://127.0.0.1:\(receiver.port)/ana" }

  init() throws {
    device = try TestDevice()
    server = try RunningServer(device.folder)
    receiver = try WebhookReceiver()
    try device.signIn(at: server)
  }

  private func addAna() throws -> Outcome {
    try device.run("contacts", "add", "+12025550143", "--name", "Ana", "--responder", "--channel", channel)
  }

  private func readiness(_ outcome: Outcome) throws -> JSONObject {
    try #require(outcome.jsonLines().last).object("readiness")
  }

  /// Answers as the page's form does, at the link in the webhook's body.
  private func press(_ message: String) throws {
    let url = try #require(URL(string: try JSONObject(message).object("data").string("page_url")))
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(connection) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(try #require(url.port)).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isConnected)
    let form = "answer=responding"
    let request = Array(
      """
      POST \(url.path)/acknowledgements HTTP/1.1\r
      Host: localhost\r
      Connection: close\r
      Content-Type: application/x-www-form-urlencoded\r
      Content-Length: \(form.utf8.count)\r
      \r
      \(form)
      """.utf8)
    #expect(write(connection, request, request.count) == request.count)
    var answer = [UInt8](repeating: 0, count: 4096)
    let count = read(connection, &answer, answer.count)
    let text = String(decoding: answer.prefix(max(0, count)), as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 303"), "\(text)")
  }

  @Test func `when its person presses, while the command waits`() throws {
    defer { server.stop() }
    #expect(try addAna().output.contains("To test it: lifesignal contacts test \"Ana\""))
    #expect(try device.run("status").output.contains("NOT READY: nobody would be told ("))
    let command = try RunningProgram(
      Programs.lifesignal, ["contacts", "test", "ana", "--wait", "60"], environment: device.environment)
    let message = try receiver.next()
    #expect(message.contains("DRILL, only a test.") && !message.contains("needs help"))
    try press(message)
    try command.line(containing: "TESTED by webhook: Ana answered.")
    try command.line(containing: "READY: 1 responder, tested just now")
    #expect(command.end() == 0)
    #expect(try device.run("contacts", "list").output.contains("\(channel): tested 20"))
    #expect(try device.run("alert", "status").output.hasPrefix("No alert"))
    #expect(try device.run("alert", "history", "--json").output.isEmpty)
    let doctor = try device.run("doctor")
    #expect(doctor.output.contains("ok    Ana answered a test on 20") && doctor.output.contains("ok    READY: 1 resp"))
    #expect(doctor.status == 0, "\(doctor)")
    server.stop()
    let offline = try device.run("doctor")
    #expect(offline.status == 69 && offline.output.contains("warn  READY OFFLINE: an alert is saved now"), "\(offline)")
    #expect(!offline.output.contains(" READY: "), "\(offline)")
    try server.start()
    let json = try readiness(try device.run("contacts", "list", "--json"))
    #expect(try json.integer("responders") == 1 && json.integer("tested") == 1 && json.boolean("ready"))
    #expect(try !json.string("last_drill_at").isEmpty && json.isNull("reason"))
    // An edit of the URL makes it untested again.
    try device.run("contacts", "add", "+12025550143", "--name", "Ana", "--channel", channel + "/new")
    #expect(try device.run("status", "--json").json().object("readiness").integer("tested") == 0)
  }

  /// As after a message that failed for good, which takes an hour; with the change that tells the device.
  private func failOnServer(_ channel: String, _ reason: String) throws {
    server.stop()
    let connection = try Connection(path: device.folder.path("server.sqlite"))
    try connection.statement("UPDATE contacts SET failed = ?").run(.text("4000000000000 \(channel) \(reason)"))
    try connection.execute("UPDATE account_logs SET newest_sequence = newest_sequence + 1")
    try connection.execute(
      "UPDATE changes SET sequence = (SELECT newest_sequence FROM account_logs) WHERE entity_kind = 2")
    connection.close()
    try server.start()
    try device.run("sync")
  }

  @Test func `and is ready no more after a message over the tested channel failed`() throws {
    defer { server.stop() }
    _ = try addAna()
    try device.run("contacts", "test", "Ana", "--wait", "0")
    try press(try receiver.next())
    #expect(try device.run("sync").status == 0)
    #expect(try device.run("status").output.contains("READY: 1 responder, tested"))
    try failOnServer(channel, "the channel answered 404")
    let status = try device.run("status").output
    let line = "NOT READY: nobody would be told (the last message to Ana failed)"
    #expect(status.contains(line), "\(status)")
    #expect(status.contains("FAILED      the last message to Ana, 2096-10-02"), "\(status)")
    #expect(status.contains(": the channel answered 404\n") && status.contains("Responders  1, 0 tested"))
    let list = try device.run("contacts", "list").output
    #expect(list.contains("    \(channel): FAILED on 2096-10-02") && list.contains(line), "\(list)")
    let doctor = try device.run("doctor").output
    #expect(doctor.contains("the last message to Ana failed: the channel answered 404"), "\(doctor)")
    #expect(doctor.contains(line) && !doctor.contains("answered a test"))
    let lines = try device.run("contacts", "list", "--json").jsonLines()
    let failed = try #require(try lines.first?.objects("failed").first)
    #expect(try failed.string("channel") == channel && failed.string("reason") == "the channel answered 404")
    let readiness = try #require(lines.last).object("readiness")
    #expect(try readiness.integer("tested") == 0 && !readiness.boolean("ready"))
    #expect(try readiness.string("reason") == "failed_channels")
    let raised = try device.run("sos", "--yes", "--no-sync")
    #expect(raised.output.hasPrefix("NOBODY MAY BE TOLD: the last message to Ana failed.\n"), "\(raised.output)")
  }

  @Test func `later, when the command has ended long before`() throws {
    defer { server.stop() }
    _ = try addAna()
    let unanswered = try device.run("contacts", "test", "+1 202 555 0143", "--wait", "0", "--json")
    #expect(unanswered.status == 75)
    #expect(try !unanswered.json().boolean("answered") && unanswered.json().string("stage") == "accepted")
    #expect(try device.run("contacts", "list").output.contains("being tested since"))
    try press(try receiver.next())
    let again = try device.run("contacts", "test", "Ana", "--wait", "0")
    #expect(again.output.contains("READY: 1 responder, tested"), "\(again.output)")
  }

  @Test func `is refused where it cannot be one, with the reason`() throws {
    defer { server.stop() }
    try device.run("contacts", "add", "+12025550144", "--name", "Ben", "--responder")
    try device.run("contacts", "add", "+12025550145", "--name", "Cem", "--channel", channel)
    try device.run("contacts", "add", "+12025550146", "--name", "Dia", "--responder", "--channel", "sms:+12025550146")
    try device.run("sync")
    for (name, code) in [("Ben", "no_channel"), ("Cem", "not_responder"), ("Dia", "unsupported_channels")] {
      let refused = try device.run("contacts", "test", name, "--json")
      #expect(refused.status == 69, "\(name)")
      #expect(try refused.jsonError().string("code") == code)
    }
    #expect(try device.run("contacts", "test", "Eva").status == 65)
    #expect(try device.run("contacts", "test", "Ben", "--wait", "x").status == 65)
    _ = try addAna()
    try device.run("sos", "--yes", "--no-sync")
    let active = try device.run("contacts", "test", "Ana")
    #expect(active.status == 69 && active.error.contains("NOT TESTED: an alert or a drill is active"))
  }

  @Test func `and the kinds of channels that the server cannot serve are told`() throws {
    defer { server.stop() }
    try device.run("sync")
    let added = try device.run(
      "contacts", "add", "+12025550146", "--name", "Dia", "--responder", "--channel", "sms:+12025550146")
    #expect(added.output.contains("This server cannot send to it: sms:+12025550146"))
    try device.run("sync")
    #expect(try device.run("contacts", "list").output.contains("sms:+12025550146: this server cannot use it"))
    let list = try #require(try device.run("contacts", "list", "--json").jsonLines().first)
    #expect(try list.strings("unsupported") == ["sms:+12025550146"])
    let line = "NOT READY: nobody would be told (this server cannot use their channels)"
    #expect(try device.run("status").output.contains(line))
    #expect(try device.run("doctor").output.contains("FAIL  this server cannot send over any channel of Dia"))
    let raised = try device.run("sos", "--yes", "--no-sync")
    #expect(raised.status == 0)
    #expect(raised.output.hasPrefix("NOBODY MAY BE TOLD: this server cannot use their channels.\n"))
  }

  @Test func `and the kinds of channels that the server cannot serve are told once it has said so`() throws {
    defer { server.stop() }
    let new = try TestDevice()
    try new.run(
      "contacts", "add", "+12025550146", "--name", "Dia", "--responder", "--channel", "sms:+12025550146", "--channel",
      channel)
    try new.run("contacts", "add", "+12025550147", "--name", "Eva", "--dependent", "--channel", "sms:+12025550147")
    let line = "This server cannot send to it: sms:+12025550146 (Dia)\n"
    try new.run("sos", "--yes", "--drill", "--no-sync")
    try new.run("config", "set", "endpoint", server.endpoint)
    let signIn = try RunningProgram(Programs.lifesignal, ["sign-in", "+12025550124"], environment: new.environment)
    try signIn.line(containing: "A code was sent")
    try signIn.type(server.code() + "\n")
    try signIn.line(containing: line.trimmingCharacters(in: .newlines))
    #expect(signIn.end() == 0)
    let synced = try new.run("sync").output
    #expect(synced.contains("All is sent.\n" + line) && !synced.contains("Eva"), "\(synced)")
  }

  @Test func `and an alert without a tested channel says so first, and is saved all the same`() throws {
    defer { server.stop() }
    _ = try addAna()
    try device.run("sync")
    let raised = try device.run("sos", "--yes", "--no-sync")
    #expect(raised.output.hasPrefix("NOBODY MAY BE TOLD: no responder has a tested channel.\n"))
    #expect(raised.output.contains("SAVED on this device"))
    let json = try device.run("sos", "--yes", "--no-sync", "--json").json()
    #expect(try json.object("readiness").string("reason") == "untested" && json.isNull("nobody_is_told"))
  }

  @Test func `and a drill of which nobody would be told says so first, and its end says nothing of telling`() throws {
    defer { server.stop() }
    try device.run("sync")
    let raised = try device.run("alert", "activate", "--drill", "--yes")
    #expect(raised.status == 0)
    #expect(raised.output.hasPrefix("DRILL: NOBODY WOULD BE TOLD: you have no responders.\n"), "\(raised.output)")
    #expect(raised.output.split(separator: "NOBODY").count == 2, "said once: \(raised.output)")
    #expect(raised.output.contains("RECEIVED") && !raised.output.contains("Call for help"), "\(raised.output)")
    #expect(try device.run("alert", "status").output.hasPrefix("DRILL: NOBODY WOULD BE TOLD"))
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.status == 0)
    #expect(ended.output.contains("Sending it now. Wait for RECEIVED."), "\(ended.output)")
    #expect(!ended.output.contains("elling") && !ended.output.contains("responders"), "\(ended.output)")
    _ = try addAna()
    try device.run("alert", "activate", "--drill", "--yes")
    let told = try device.run("alert", "deactivate", "--yes").output
    #expect(told.contains("Telling your responders that the drill is over. Wait for RECEIVED."), "\(told)")
    #expect(!told.contains("you are safe"))
  }

  @Test func `and reads the name that the person set`() throws {
    defer { server.stop() }
    #expect(try device.run("profile", "show").status == 1)
    #expect(try device.run("profile", "set", "--name", "  ").status == 65)
    #expect(try device.run("profile", "set", "--name", "Zoë García").output.contains("will see Zoë García"))
    #expect(try device.run("profile", "show", "--json").json().boolean("pending"))
    _ = try addAna()
    try device.run("sync")
    let shown = try device.run("profile", "show")
    #expect(shown.status == 0 && shown.output == "Your responders see: Zoë García (+12025550123)\n")
    try device.run("sos", "--yes")
    #expect(try receiver.next().contains("Zoë García (+12025550123) needs help."))
  }
}
