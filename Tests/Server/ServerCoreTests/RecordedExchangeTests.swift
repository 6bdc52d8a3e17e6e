import Foundation
import Model
import Testing
import Wire

@testable import ServerCore

/// Tests that devices read the answers of released servers, and that the server accepts the requests of released
/// devices. `Tests/Server/RecordedExchanges/README.md` describes the recording.
@Suite struct `A recorded exchange` {
  static let versions = ["first-version"]

  @Test(arguments: versions) func `is read by the device without ignoring anything`(
    version: String
  ) throws {
    for exchange in try RecordedExchange.all(version) {
      switch (exchange.path, exchange.status) {
      case (_, 400...): #expect(try exchange.readProblem(), "\(exchange.name)")
      case (Route.sync, 200):
        let answer = try SyncResponse(jsonBytes: exchange.answerBytes)
        let object = try exchange.answerObject()
        #expect(answer.results.count == (object["results"] as? [Any])?.count, "\(exchange.name)")
        #expect(answer.changes.count == (object["changes"] as? [Any])?.count, "\(exchange.name)")
        #expect(!answer.receipts.contains { $0.channel == .other || $0.unknownState != nil }, "\(exchange.name)")
      case (Route.verifications, 201): _ = try VerificationResponse(jsonBytes: exchange.answerBytes)
      case (Route.sessions, 201): _ = try SessionResponse(jsonBytes: exchange.answerBytes)
      case (Route.tokens, 200): _ = try TokenResponse(jsonBytes: exchange.answerBytes)
      case (Route.health, 200): _ = try HealthResponse(jsonBytes: exchange.answerBytes)
      default: #expect((200..<300).contains(exchange.status), "\(exchange.name)")
      }
    }
  }

  // The HTTP shell, not the core, answers requests for the event stream and the server's health.
  @Test(arguments: versions) func `is still answered by the server in the same way`(version: String) throws {
    let server = try AlertsServer { $0.allowsPrivateChannels = true }
    var replay = Replay()
    for exchange in try RecordedExchange.all(version)
    where ![Route.events, Route.health, Route.ready].contains(exchange.path) {
      server.advance(seconds: 1)
      let outcome = server.send(
        exchange.method, exchange.path, Array(replay.translated(exchange.body).utf8),
        token: exchange.authorization.map { replay.translated(String($0.dropFirst("Bearer ".count))) },
        contentType: exchange.contentType)
      #expect(outcome.status == exchange.status, "\(exchange.name): \(outcome.text)")
      if exchange.path == Route.sync, exchange.status == 200 {
        let recorded = try SyncResponse(jsonBytes: exchange.answerBytes)
        let answer = try SyncResponse(jsonBytes: outcome.body)
        #expect(answer.results.map(\.id) == recorded.results.map(\.id), "\(exchange.name)")
        #expect(answer.statuses == recorded.statuses && answer.codes == recorded.codes, "\(exchange.name)")
      }
      if exchange.status < 300 { replay.learn(exchange, outcome) }
    }
  }
}

/// An exchange from a file in `Tests/Server/RecordedExchanges`.
private struct RecordedExchange: Decodable {
  let method: String
  let path: String
  let authorization: String?
  let contentType: String?
  let body: String
  let status: Int
  let answer: String
  var name = ""

  private enum CodingKeys: String, CodingKey {
    case method, path, authorization, body, status, answer
    case contentType = "content_type"
  }

  var answerBytes: [UInt8] { Array(answer.utf8) }

  static func all(_ version: String) throws -> [Self] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("RecordedExchanges/\(version)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    try #require(names.count > 20)
    return try names.map { name in
      var exchange = try JSONDecoder().decode(Self.self, from: Data(contentsOf: folder.appendingPathComponent(name)))
      exchange.name = name
      return exchange
    }
  }

  func answerObject() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any])
  }

  /// Whether the device reads the answer as our server's problem with a known code.
  func readProblem() throws -> Bool {
    let problem = try Problem(jsonBytes: answerBytes)
    return problem.status == status && !problem.isUnknown
  }
}

/// Replaces the values that differ between the recorded server and this one: tokens, ids, cursors and codes.
private struct Replay {
  private var words: [(recorded: String, here: String)] = []

  /// The last code that this server sent.
  private var code: String?

  func translated(_ text: String) -> String {
    var text = text
    if let code, !text.contains("\"000000\"") {
      text = text.replacing(/"code":"[0-9]{6}"/, with: "\"code\":\"\(code)\"")
    }
    return words.reduce(text) { $0.replacingOccurrences(of: $1.recorded, with: $1.here) }
  }

  mutating func learn(_ exchange: RecordedExchange, _ outcome: ServerOutcome) {
    guard let recorded = try? exchange.answerObject(), let here = try? outcome.object() else { return }
    for name in ["verification_id", "access_token", "refresh_token", "alert_key", "cursor"] {
      guard let old = recorded[name] as? String, let new = here[name] as? String, !old.isEmpty else { continue }
      words.append((old, new))
    }
    if let sent = outcome.codes.first { code = sent.code }
  }
}
