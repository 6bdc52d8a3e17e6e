import ChildPrograms
import Model
import ServerCore
import ServerStoreSQLite
import SystemKit
import TestSupport
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `The server's log` {
  private final class Lines: Sendable {
    private let lines = Lock<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func log(_ form: ServerLog.Form = .plain, upTo level: ServerLog.Level = .info) -> ServerLog {
      ServerLog(form, upTo: level, now: { Timestamp(milliseconds: 1_764_244_800_000) }) { line in
        self.lines.withLock { $0.append(line) }
      }
    }
  }

  @Test func `has one line for each event, in three forms`() {
    let lines = Lines()
    for form in ServerLog.Form.allCases {
      lines.log(form)("it \"failed\"\nbadly", .warning, ["alert": "a1", "attempt": "2"])
    }
    #expect(
      lines.all == [
        #"2025-11-27T12:00:00.000Z warning: it "failed"badly alert=a1 attempt=2"#,
        #"{"time":"2025-11-27T12:00:00.000Z","level":"warning","message":"it \"failed\"\u000abadly","alert":"a1","attempt":"2"}"#,
        #"<4>it "failed"badly alert=a1 attempt=2"#,
      ])
  }

  @Test func `leaves out what is less urgent`() {
    for least in ServerLog.Level.allCases {
      let lines = Lines()
      let log = lines.log(upTo: least)
      for level in ServerLog.Level.allCases { log(level.name, level) }
      #expect(lines.all.count == ServerLog.Level.allCases.count { $0 <= least })
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `follows an alert from its request to who comes, and tells nobody's name, number, place or message`()
    throws
  {
    let receiver = try TestReceiver()
    let lines = Lines()
    let server = try LiveServer(log: lines.log())
    let session = try server.signIn()
    let details = try ContactDetails(
      name: "Ana Lyst", phone: "+12025550188", isResponder: true, isDependent: false,
      channels: [Channel("http://127.0.0.1:\(receiver.port)/secret-hook")])
    _ = try server.sync(session, [(newID(), .putContact(details))])
    let alert: AlertID = newID()
    _ = try server.sync(
      session, [(EntityID(alert), activation(message: "I fell"))],
      notifications: [NotificationRequest(id: newID(), alertID: alert, notice: .activated)])
    let body = String(decoding: try #require(receiver.next()).body, as: UTF8.self)
    let link = try #require(body.split(separator: "http://localhost/a/").last).prefix { $0 != "\"" && $0 != "\\" }
    while !lines.all.contains(where: { $0.contains("info: delivery ") }) {}
    _ = try server.client().exchange(
      "POST", "/a/\(link)/acknowledgements", headers: ["Content-Type: application/x-www-form-urlencoded"],
      body: Array("answer=responding".utf8))
    let told = lines.all.filter { $0.contains("alert=\(alert)") }
    let wanted = [
      "info: an alert was accepted", "info: delivery .*: answered 200 .* attempt=1$",
      "info: somebody comes, ",
    ]
    #expect(told.count == wanted.count, "\(told)")
    for (line, wanted) in zip(told, wanted) { #expect(try line.contains(Regex(wanted)), "\(line)") }
    #expect(try told[0].contains(Regex("request=[0-9a-f]+-[0-9]+-[0-9]+$")))
    for secret in ["Ana", "2025550", "I fell", "secret-hook", String(link), session.tokens.accessToken] {
      #expect(!lines.all.contains { $0.contains(secret) }, "\(secret)")
    }
  }

  /// Reads fail.
  private struct FailingStore: ServerStore {
    let store: SQLiteServerStore

    func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
      throw StorageError(.inputOutput, "the disk is gone")
    }

    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result { try store.write(body) }
  }

  @Test func `and the answer to a request that failed have the same id`() throws {
    let lines = Lines()
    let server = try LiveServer(log: lines.log(), wrap: { FailingStore(store: $0) })
    let answer = try server.client().exchange("GET", "\(Route.page)/AAAAAAAAAAAAAAAAAAAAAAAA")
    #expect(answer.status == 503)
    let id = try #require(answer.headers["x-request-id"])
    #expect(lines.all.contains { $0.contains("error: the store failed: ") && $0.hasSuffix(" request=\(id)") })
    #expect(try server.client().exchange("GET", Route.health).headers["x-request-id"] == nil)
  }
}
