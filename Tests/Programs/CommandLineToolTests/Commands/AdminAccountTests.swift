import ChildPrograms
import Foundation
import Glibc
import ProgramTesting
import Testing
import Wire

/// `lifesignal-server admin accounts`, `sessions` and `deliveries`, beside a server that runs.
@Suite(.blocking, .timeLimit(.minutes(10))) struct `An operator` {
  private static let phone = "+12025550123"
  private let device: TestDevice
  private let server: RunningServer

  init() throws {
    device = try TestDevice()
    server = try RunningServer(device.folder)
    try device.signIn(at: server, phone: Self.phone)
  }

  private func admin(_ words: String...) throws -> Outcome { try admin(words) }

  private func admin(_ words: [String]) throws -> Outcome {
    try device.run(program: Programs.server, ["admin"] + words + ["--database", device.folder.path("server.sqlite")])
  }

  @Test func `finds an account, and exports all of it`() throws {
    try device.run("profile", "set", "--name", "Ann")
    try device.run("contacts", "add", "+12025550188", "--name", "Ben", "--responder")
    #expect(try device.run("sync").status == 0)
    let found = try admin("accounts", "find", Self.phone)
    #expect(found.status == 0, "\(found)")
    #expect(
      found.output.contains("“Ann”") && found.output.contains("1 contact, 0 active alerts, 1 session"), "\(found)")
    for words in [["accounts", "find"], ["sessions", "list"], ["accounts", "export"]] {
      let none = try admin(words + ["+12025550199"])
      #expect(none.status == 65 && none.output.isEmpty, "\(none)")
      #expect(none.error == "lifesignal-server: +12025550199 has no account here\n")
    }

    let export = try admin("accounts", "export", Self.phone)
    #expect(export.status == 0)
    let rows = try export.jsonLines()
    #expect(try rows.contains { try $0.string("table") == "contacts" && $0.object("row").string("name") == "Ben" })
    #expect(!export.output.contains("hash"))
  }

  @Test func `may name an account by its ID, as the operator's page does`() throws {
    let found = try admin("accounts", "find", Self.phone).output
    let id = String(try #require(found.firstMatch(of: /account ([0-9a-f-]{36})/)).1)
    #expect(try admin("accounts", "find", id).output == found)
    #expect(try admin("sessions", "list", id).output == admin("sessions", "list", Self.phone).output)
    #expect(try admin("accounts", "block", id).output.contains("\(Self.phone) is signed out everywhere"))
    #expect(try admin("accounts", "unblock", id).status == 0)
    let unknown = try admin("accounts", "find", "01a21dfb-71ac-7ebf-ad1b-2398f498d778")
    #expect(unknown.status == 65 && unknown.error.contains("no account has the ID 01a21dfb"), "\(unknown)")
  }

  @Test func `ends one session, or all, and the device says so`() throws {
    let listed = try admin("sessions", "list", Self.phone)
    let id = try #require(listed.output.split(separator: " ").first.map(String.init))
    #expect(try admin("sessions", "end", Self.phone).status == 64)
    #expect(try admin("sessions", "end", Self.phone, "--session", id, "--all").status == 64)
    #expect(try admin("sessions", "end", Self.phone, "--session", "7").status == 65)
    let ended = try admin("sessions", "end", Self.phone, "--session", id)
    #expect(ended.output == "lifesignal-server: 1 session of \(Self.phone) ended\n", "\(ended)")
    #expect(try admin("sessions", "end", Self.phone, "--session", id).status == 65)
    #expect(try device.run("sync").status == 77)
    #expect(
      try admin("sessions", "list", Self.phone).output == "lifesignal-server: \(Self.phone) is signed in nowhere\n")
  }

  @Test func `blocks a number, which is signed out and cannot sign in`() throws {
    #expect(try admin("accounts", "block", Self.phone).status == 0)
    #expect(try device.run("sync").status == 77)
    #expect(try admin("accounts", "find", Self.phone).output.contains(": blocked since 20"))
    #expect(try admin("accounts", "unblock", Self.phone).status == 0)
    #expect(try !admin("accounts", "find", Self.phone).output.contains("blocked"))

    #expect(try admin("accounts", "block", "+12025550199").status == 0)
    let stranger = try admin("accounts", "find", "+12025550199")
    #expect(stranger.status == 65 && stranger.output.contains(": blocked since 20"), "\(stranger)")
    let program = try RunningProgram(
      Programs.lifesignal, ["sign-in", "+12025550199"], environment: device.environment)
    try program.line(containing: "A code was sent")
    try server.log(containing: "notice: a code was not sent: its number is blocked")
    try program.type("000000\n")
    try program.line(containing: "Wrong code.")
    #expect(program.end() == 69)
  }

  @Test func `lets a number that asked too often have codes again, unless it is blocked`() throws {
    #expect(
      try admin("codes", "allow", Self.phone).output == "lifesignal-server: \(Self.phone) can ask for codes again\n")
    #expect(try admin("accounts", "block", Self.phone).status == 0)
    let blocked = try admin("codes", "allow", Self.phone)
    #expect(blocked.status == 65 && blocked.error.contains("see “admin accounts unblock”"), "\(blocked)")
  }

  @Test func `removes an account, but not while an alert is active`() throws {
    #expect(try admin("accounts", "remove", Self.phone).status == 64)
    #expect(try device.run("alert", "activate", "--yes").status == 0)
    #expect(try device.run("sync").status == 0)
    let refused = try admin("accounts", "remove", Self.phone, "--yes")
    #expect(refused.status == 69 && refused.error.contains("nothing was removed"), "\(refused)")
    #expect(try admin("alerts", "end", Self.phone).status == 64)
    let ended = try admin("alerts", "end", Self.phone, "--yes")
    #expect(ended.status == 0 && ended.output.contains("1 alert of \(Self.phone) ended"), "\(ended)")
    #expect(try device.run("sync").status == 0)
    #expect(try device.run("alert", "status").output.contains("ended"))
    // The server looks every five seconds for what others changed, and writes the end into inboxes.
    var removed = try admin("accounts", "remove", Self.phone, "--yes")
    while removed.error.contains("messages that responders did not get yet") {
      removed = try admin("accounts", "remove", Self.phone, "--yes")
    }
    #expect(removed.status == 0, "\(removed)")
    #expect(try admin("accounts", "find", Self.phone).status == 65)
    #expect(try admin("accounts", "export", Self.phone).status == 65)
    #expect(try device.run("sync").status == 77)
  }

  @Test func `sees which messages fail, and sends them again`() throws {
    let receiver = try WebhookReceiver { _ in Problem(.malformedRequest, "no") }
    defer { receiver.stop() }
    try device.addResponder(at: receiver)
    #expect(try failing() == "lifesignal-server: all messages got through, or wait for their first attempt\n")
    #expect(try device.run("alert", "activate", "--yes").status == 0)
    _ = try receiver.next()
    // What the receiver answered is written down after the answer.
    var listed = try failing()
    while !listed.contains("attempt,") { listed = try failing() }
    #expect(listed.contains(" 1 attempt, 127.0.0.1:\(receiver.port), alert "), "\(listed)")
    let id = try #require(listed.split(separator: " ").first.map(String.init))
    #expect(
      try admin("deliveries", "replay", id).output
        == "lifesignal-server: \(id) is queued: a running server sends it now\n")
    _ = try receiver.next()

    #expect(try admin("deliveries", "replay", "7").status == 65)
    let unknown = try admin("deliveries", "replay", "01a21dfb-71ac-7ebf-ad1b-2398f498d778")
    #expect(unknown.status == 65 && unknown.output.contains("stays as it is"), "\(unknown)")
    #expect(try admin("deliveries", "list", "--limit", "0").status == 65)
  }

  private func failing() throws -> String { try admin("deliveries", "list").output }

  @Test func `tries a channel, and says how it answered`() throws {
    let receiver = try WebhookReceiver { $0.contains("POST /full") ? Problem(.rateLimited, "full") : nil }
    defer { receiver.stop() }
    let place = "http://127.0.0.1:\(receiver.port)"
    let config = device.folder.path("server.conf")
    try Data("sms = \(place)/sms\nallow-private-channels = yes\nsmtp = $CREDENTIALS_DIRECTORY/mail.json\n".utf8)
      .write(to: URL(fileURLWithPath: config))
    let noMail = try admin("channels", "test", "sms:+12025550188", "--config", config)
    #expect(noMail.status == 65 && noMail.error.contains("CREDENTIALS_DIRECTORY"), "\(noMail)")
    try Data("sms = \(place)/sms\nallow-private-channels = yes\n".utf8).write(to: URL(fileURLWithPath: config))

    let text = try admin("channels", "test", "sms:+12025550188", "--config", config)
    #expect(text.output == "lifesignal-server: accepted (answered 204): check that the drill arrived\n", "\(text)")
    let body = try receiver.next()
    #expect(body.contains("+12025550188") && body.contains("DRILL"), "\(body)")
    #expect(!body.contains("Call +12025550188"), "nobody is to call themselves")
    let full = try admin("channels", "test", "\(place)/full", "--config", config)
    #expect(full.status == 69 && full.error.contains("FAILED: answered 429"), "\(full)")
    _ = try receiver.next()
    let mail = try admin("channels", "test", "mailto:ana@example.org", "--config", config)
    #expect(mail.status == 69 && mail.error.contains("nothing was sent: this server has no mail server"), "\(mail)")
    #expect(try admin("channels", "test", "pigeon", "--config", config).status == 65)
  }

  @Test func `makes no database by looking`() throws {
    let path = device.folder.path("none.sqlite")
    let told = try device.run(program: Programs.server, ["admin", "accounts", "find", Self.phone, "--database", path])
    #expect(told.status == 73 && told.error.contains("there is no database at"), "\(told)")
    #expect(access(path, F_OK) != 0)
    #expect(try admin("accounts", "find", "12").status == 65)
  }
}
