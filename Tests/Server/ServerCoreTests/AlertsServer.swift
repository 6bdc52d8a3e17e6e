import Foundation
import Model
import Secrets
import ServerStoreSQLite
import SystemKit
import TestSupport
import Testing
import Wire

@testable import ServerCore

/// A server over a store in a real file that is removed with it, with a clock and randomness of the test's own.
final class AlertsServer: Sendable {
  static let start = Timestamp(milliseconds: 1_795_262_400_000)  // 2026-11-21T12:00:00Z

  private let scratch = ScratchFolder(in: ScratchFolder.onDisk)
  private let running: Lock<ServerCore>
  private let opened: Lock<SQLiteServerStore>
  private let clock = Lock(start)
  private let calls = Lock<UInt64>(0)

  init(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
    var configuration = ServerConfiguration(publicURL: "https://server.example")
    configure(&configuration)
    running = Lock(ServerCore(configuration: configuration, keys: ServerKeys(secret: try SecretKey.fromTest(9))))
    opened = Lock(try SQLiteServerStore.open(path: scratch.path + "/server.sqlite"))
  }

  deinit {
    store.close()
  }

  var core: ServerCore { running.withLock { $0 } }
  var store: SQLiteServerStore { opened.withLock { $0 } }
  var folder: String { scratch.path }
  var path: String { folder + "/server.sqlite" }
  var now: Timestamp { clock.withLock { $0 } }

  func advance(milliseconds: Int64) { clock.withLock { $0 = $0.advanced(byMilliseconds: milliseconds) } }
  func advance(seconds: Int64) { advance(milliseconds: seconds * 1000) }

  /// With a seed that no other call of this server has.
  func moment() -> ServerMoment {
    let number = calls.withLock {
      $0 += 1
      return $0
    }
    let seed = withUnsafeBytes(of: number.littleEndian) { Array($0) } + [UInt8](repeating: 3, count: 24)
    return ServerMoment(now: now, entropy: Entropy(seed: seed))
  }

  /// The files as they are on the disk, after all was written back, by name.
  func copyOfFiles() throws -> [String: Data] {
    store.close()
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      files[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
    }
    return files
  }

  /// Puts a copy back in place of what is there, as an operator restores a backup.
  func restore(_ files: [String: Data]) throws {
    store.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      try FileManager.default.removeItem(atPath: folder + "/" + name)
    }
    for (name, data) in files { try data.write(to: URL(fileURLWithPath: folder + "/" + name)) }
    let reopened = try SQLiteServerStore.open(path: path)
    opened.withLock { $0 = reopened }
  }

  /// Goes on with other options.
  func restart(_ configure: (inout ServerConfiguration) -> Void) throws {
    var configuration = ServerConfiguration(publicURL: "https://server.example")
    configure(&configuration)
    let restarted = ServerCore(configuration: configuration, keys: core.keys)
    running.withLock { $0 = restarted }
    try core.takeOverDeliveries(at: moment(), in: store)
  }

  func send(
    _ method: String, _ path: String, _ body: [UInt8] = [], query: [String: String] = [:], token: String? = nil,
    contentType: String? = "application/json"
  ) -> ServerOutcome {
    let request = ServerRequest(
      method: method, path: path, query: query, authorization: token.map { "Bearer \($0)" }, contentType: contentType,
      body: body, remoteAddress: "192.0.2.1")
    let (outcome, roundTrips) = respond(to: request)
    if path == Route.sync, !isOfAnotherEpoch(request, outcome) {
      #expect(roundTrips.allSatisfy { $0 <= 2 }, "an exchange costs two round trips: \(roundTrips)")
    }
    return outcome
  }

  /// The answer, and how many round trips each transaction took.
  func respond(to request: ServerRequest) -> (outcome: ServerOutcome, roundTrips: [Int]) {
    var roundTrips: [Int] = []
    guard case .task(var task) = core.begin(request, at: moment()) else {
      return (core.respond(to: request, at: moment(), in: store), [])
    }
    func run(_ transaction: any ServerTransaction) throws -> ServerOutcome? {
      let counting = CountingTransaction(transaction: transaction)
      defer { roundTrips.append(counting.count.roundTrips) }
      return try task.run(in: counting)
    }
    do {
      while true {
        let isReading = task.pool != .write
        if var outcome = try isReading ? store.read(run) : store.write(run) {
          outcome.add(task.progressOutcome)
          return (outcome, roundTrips)
        }
      }
    } catch {
      return (task.failed(error), roundTrips)
    }
  }

  /// The device's cursor is of a history before: the account's record tells, and then the page is read from the start.
  private func isOfAnotherEpoch(_ request: ServerRequest, _ outcome: ServerOutcome) -> Bool {
    guard let sent = try? SyncRequest(jsonBytes: request.body), let answer = try? SyncResponse(jsonBytes: outcome.body)
    else { return false }
    return [sent.cursor, sent.newestCursor].contains {
      $0.flatMap(SyncCursor.init).map { $0.epoch != answer.epoch } ?? false
    }
  }

  func claim(limit: Int = 100) throws -> [DeliveryAttempt] {
    try core.claimDeliveries(limit: limit, at: moment(), in: store).attempts
  }

  @discardableResult
  func complete(_ attempt: DeliveryAttempt, _ answer: DeliveryAnswer) throws -> ServerOutcome {
    try core.completeDelivery(attempt.id, attempt: attempt.number, answer, at: moment(), in: store)
  }

  func nextDue() throws -> Timestamp? { try core.nextDeliveryDue(at: moment(), in: store) }

  func signIn(_ phone: String) throws -> AlertsDevice {
    advance(seconds: 60)
    let asked = send("POST", Route.verifications, VerificationRequest(phone: phone, region: nil).json())
    let verification = try VerificationResponse(jsonBytes: asked.body)
    let code = try #require(asked.codes.first).code
    let request = SessionRequest(verificationID: verification.verificationID, code: code, deviceName: "test")
    let answer = send("POST", Route.sessions, request.json())
    return AlertsDevice(server: self, session: try SessionResponse(jsonBytes: answer.body))
  }
}

extension ServerOutcome {
  var status: Int { response.status }

  var body: [UInt8] {
    if case .full(let response) = response { response.body } else { [] }
  }

  var text: String { String(decoding: body, as: UTF8.self) }
  /// Nil where the answer is no problem of ours.
  var problem: Problem.Kind? { try? Problem(jsonBytes: body).kind }

  func header(_ name: String) -> String? {
    if case .full(let response) = response { response.headers.first { $0.name == name }?.value } else { nil }
  }

  /// The body by Foundation's reader, for what has no type of ours.
  func object() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
  }
}
