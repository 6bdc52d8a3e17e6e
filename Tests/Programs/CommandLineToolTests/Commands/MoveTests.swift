import ChildPrograms
import Foundation
import Glibc
import PostgresTesting
import ProgramTesting
import Testing
import Wire

/// `lifesignal-server admin move`: from a file to PostgreSQL, with devices that notice nothing.
@Suite(.blocking, .timeLimit(.minutes(10))) struct `A move to PostgreSQL` {
  private static let (person, responder) = ("+12025550123", "+12025550188")
  private let device: TestDevice
  private let friend: TestDevice
  private let server: RunningServer
  private let database: TestDatabase
  private var file: String { device.folder.path("server.sqlite") }

  init() throws {
    device = try TestDevice()
    friend = try TestDevice()
    server = try RunningServer(device.folder)
    database = try PostgresServer.shared().newDatabase()
    try friend.signIn(at: server, phone: Self.responder)
    try device.signIn(at: server, phone: Self.person)
    try Self.done(device, "profile", "set", "--name", "Ann")
    try Self.done(
      device, "contacts", "add", Self.responder, "--name", "Ben", "--responder", "--channel", "http://127.0.0.1:9/hook")
    try Self.done(
      device, "alert", "activate", "--yes", "--message", "on the ridge", "--location", "46.1234567890123,7.5")
    try Self.done(device, "sos", "--yes", "--message", "leg broken")
    try Self.done(friend, "sync")
  }

  private static func done(_ device: TestDevice, _ words: String...) throws {
    let outcome = try device.run(words)
    try #require(outcome.status == 0, "\(words): \(outcome)")
  }

  private func admin(_ words: String..., at database: String) throws -> Outcome {
    try device.run(program: Programs.server, ["admin"] + words + ["--database", database])
  }

  private func move() throws -> Outcome { try admin("move", database.url, at: file) }

  /// Each row of what both accounts export, by its table, as both databases tell it. One of them names the account in more of them.
  private func rows(at database: String) throws -> [String] {
    try [Self.person, Self.responder].flatMap { phone in
      try admin("accounts", "export", phone, at: database).output.split(separator: "\n").map { line in
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        var row = try #require(object["row"] as? [String: Any])
        row["account_id"] = nil
        if object["table"] as? String == "accounts" { row["id"] = nil }
        return "\(phone) \(object["table"] ?? ""): \(Self.told(row))"
      }
    }.sorted()
  }

  /// A value of JSON, whether it is written as a text in it or not.
  private static func told(_ value: Any) -> String {
    switch value {
    case let number as NSNumber: return "\(number.doubleValue)"
    case let object as [String: Any]:
      return "\(object.map { "\($0.key): \(told($0.value))" }.sorted())"
    case let list as [Any]: return "\(list.map(told))"
    case let text as String:
      let json = text.hasPrefix("{") ? try? JSONSerialization.jsonObject(with: Data(text.utf8)) : nil
      return json.map(told) ?? text
    default: return "\(value)"
    }
  }

  @Test func `takes all along, and devices go on as though nothing had been`() throws {
    server.stop()
    let before = try rows(at: file)
    let moved = try move()
    #expect(moved.status == 0, "\(moved)")
    #expect(moved.output.contains("moved \(file) to PostgreSQL: 2 accounts, 1 alert\n"), "\(moved)")
    #expect(access(file, F_OK) != 0)
    let after = try rows(at: database.url)
    #expect(after.filter { !before.contains($0) } == [], "is new")
    #expect(before.filter { !after.contains($0) } == [], "is lost")
    #expect(before.contains { $0.contains(" inbox: ") } && before.contains { $0.contains(" deliveries: ") })

    let postgres = try RunningProgram(
      Programs.server,
      ["--listen", "127.0.0.1:0", "--sms", "console", "--allow-private-channels", "--database", database.url])
    let line = try postgres.line(containing: "listening on http://127.0.0.1:")
    let endpoint = "http://127.0.0.1:\(try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/)).1)"
    for one in [device, friend] {
      try Self.done(one, "config", "set", "endpoint", endpoint)
      #expect(try one.run("sync").status == 0, "the session is valid")
    }
    let inbox = try friend.run("inbox").output
    #expect(inbox.contains("leg broken"), "\(inbox)")
    let ended = try device.run("alert", "deactivate", "--yes")
    #expect(ended.output.contains("RECEIVED by the server"), "\(ended)")
    #expect(postgres.end(by: SIGTERM) == 0)
    let alerts = try rows(at: database.url).filter { $0.contains(" alerts: ") }
    #expect(alerts.count == 1, "it was not sent again as another one")
  }

  @Test func `changes nothing while a server runs, and fills no database that has something`() throws {
    let early = try move()
    #expect(early.status == 69)
    #expect(early.error == "lifesignal-server: a server, or a backup, uses the database: stop it first\n")
    server.stop()
    let running = try RunningProgram(
      Programs.server, ["--listen", "127.0.0.1:0", "--database", database.url])
    try running.line(containing: "listening on")
    let busy = try move()
    #expect(busy.status == 69 && busy.error.contains("a server runs on that database: stop it first"), "\(busy)")
    #expect(running.end(by: SIGTERM) == 0)
    #expect(access(file, F_OK) == 0)
    #expect(try move().status == 0)

    let again = try admin("move", database.url, at: file)
    #expect(again.status == 73, "a server was here, and its file is gone: \(again)")
    let other = try TestDevice()
    let second = try RunningServer(other.folder)
    try other.signIn(at: second, phone: Self.person)
    second.stop()
    let full = try admin("move", database.url, at: other.folder.path("server.sqlite"))
    #expect(full.status == 73 && full.error.contains("holds something already"), "\(full)")
    #expect(access(other.folder.path("server.sqlite"), F_OK) == 0)
  }

  @Test func `of a file that is not there makes and moves nothing`() throws {
    server.stop()
    let wrong = device.folder.path("servr.sqlite")
    let outcome = try admin("move", database.url, at: wrong)
    #expect(outcome.status == 73, "\(outcome)")
    #expect(outcome.error.contains("there is no database at \(wrong): name"), "\(outcome)")
    #expect(outcome.error.contains("server.sqlite"), "\(outcome)")
    #expect(outcome.output.isEmpty)
    #expect(access(wrong, F_OK) != 0 && access(wrong + "-lock", F_OK) != 0)
    #expect(try move().status == 0, "nothing is in the new database")
  }

  @Test func `of an empty file moves nothing`() throws {
    let empty = device.folder.path("empty.sqlite")
    #expect(FileManager.default.createFile(atPath: empty, contents: nil))
    let outcome = try admin("move", database.url, at: empty)
    #expect(outcome.status == 73 && outcome.error.contains("is empty"), "\(outcome)")
    #expect(access(empty, F_OK) == 0)
  }

  @Test(
    arguments: [
      (["move"], 64, "missing argument: URL"), (["move", "elsewhere.sqlite"], 64, "has to be postgresql://"),
      (["move", "postgresql://a:b@host/c"], 64, "a password on the command line"),
      (["move", "postgresql://127.0.0.1:1/none"], 69, "127.0.0.1"),
    ] as [([String], Int32, String)]) func `says what is wrong`(words: [String], status: Int32, told: String) throws
  {
    server.stop()
    let outcome = try device.run(program: Programs.server, ["admin"] + words + ["--database", file])
    #expect(outcome.status == status, "\(outcome)")
    #expect(outcome.error.contains(told), "\(outcome)")
    #expect(access(file, F_OK) == 0)
  }
}
