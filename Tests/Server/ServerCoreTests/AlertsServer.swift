import Foundation
import Model
import Secrets
import ServerStoreSQLite
import SystemKit
import TestSupport
import Testing
import Wire

@testable import ServerCore

/// A server over a store in a real file, which is deleted with it. The test sets the clock and the random seeds.
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

  /// Makes the moment of a call, with a seed that no other call of this server has.
  func moment() -> ServerMoment {
    let number = calls.withLock {
      $0 += 1
      return $0
    }
    let seed = withUnsafeBytes(of: number.littleEndian) { Array($0) } + [UInt8](repeating: 3, count: 24)
    return ServerMoment(now: now, entropy: Entropy(seed: seed))
  }

  /// The contents of the store's files by name, after a checkpoint.
  func copyOfFiles() throws -> [String: Data] {
    store.close()
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      files[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
    }
    return files
  }

  /// Replaces the files with a copy, as an operator restores a backup.
  func restore(_ files: [String: Data]) throws {
    store.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      try FileManager.default.removeItem(atPath: folder + "/" + name)
    }
    for (name, data) in files { try data.write(to: URL(fileURLWithPath: folder + "/" + name)) }
    let reopened = try SQLiteServerStore.open(path: path)
    opened.withLock { $0 = reopened }
  }

  /// Continues with other options.
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
      // Whose alert an answer is about only the inbox says.
      let most = String(decoding: body, as: UTF8.self).contains("\"inbox.") ? 3 : 2
      #expect(roundTrips.allSatisfy { $0 <= most }, "an exchange costs two round trips: \(roundTrips)")
    }
    return outcome
  }

  /// Returns the answer, and the number of round trips of each transaction.
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

  /// Whether the device's cursor belongs to an earlier epoch. The account's record shows it, and the page is then read
  /// from the start, which costs one more round trip.
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

  /// Writes what changed into the inboxes of responders, as any claim does; claims nothing.
  func postToInboxes() throws { _ = try core.claimDeliveries(limit: 0, at: moment(), in: store) }

  @discardableResult
  func complete(
    _ attempt: DeliveryAttempt, _ answer: DeliveryAnswer, afterMilliseconds milliseconds: Int64 = 0
  ) throws -> ServerOutcome {
    try core.completeDelivery(
      DeliveryCompletion(of: attempt, answer, afterMilliseconds: milliseconds), at: moment(), in: store)
  }

  /// When the next message is due; nil if none waits. Apart from the times at which responders are to be asked again.
  func nextDelivery() throws -> Timestamp? {
    try store.write { try $0.nextDue(at: now, inFlight: core.configuration.deliveries.inFlight) }
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
  /// The problem; nil if the answer is not one.
  var problem: Problem.Kind? { try? Problem(jsonBytes: body).kind }

  func header(_ name: String) -> String? {
    if case .full(let response) = response { response.headers.first { $0.name == name }?.value } else { nil }
  }

  /// The body as read by Foundation, for answers without a type in `Wire`.
  func object() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
  }
}
