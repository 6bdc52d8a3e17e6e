import Foundation
import LocalStore
import Model
import SQLiteKit
import Secrets
import ServerCore
import ServerStoreSQLite
import TestSupport
import Testing
import Wire

@testable import Simulator

/// Real devices and a real server without a network, and an oracle that is told everything they do.
final class OracleScene {
  let oracle: Oracle
  private let scratch = ScratchFolder()
  let core: ServerCore
  private(set) var server: SQLiteServerStore
  private(set) var devices: [SceneDevice] = []
  /// Virtual milliseconds; every step takes a second.
  private(set) var now: Int64 = 0
  private var calls: UInt64 = 0
  /// The last exchange, for tests that report it again.
  private(set) var lastExchange: (request: ServerRequest, response: FullResponse, account: AccountID)?

  static let start = Timestamp(milliseconds: 1_795_262_400_000)

  init(checkpointPages: Int = 1000) throws {
    oracle = Oracle(checkpointPages: checkpointPages)
    let secret = try #require(SecretKey(bytes: [UInt8](repeating: 5, count: SecretKey.byteCount)))
    core = ServerCore(
      configuration: ServerConfiguration(publicURL: "https://server.example"), keys: ServerKeys(secret: secret))
    server = try SQLiteServerStore.open(path: scratch.path + "/server.sqlite")
  }

  var folder: String { scratch.path }

  deinit {
    server.close()
    for device in devices { device.store.close() }
  }

  /// A scene with one device, which is signed in.
  static func signedIn() throws -> (scene: OracleScene, device: SceneDevice) {
    let scene = try OracleScene()
    let device = try scene.device()
    try device.signIn("+12025550101")
    return (scene, device)
  }

  /// A scene with two devices of one person, both signed in.
  static func ofTwoDevices() throws -> (scene: OracleScene, one: SceneDevice, other: SceneDevice) {
    let (scene, one) = try signedIn()
    let other = try scene.device()
    try other.signIn("+12025550101")
    return (scene, one, other)
  }

  func device() throws -> SceneDevice {
    let device = try SceneDevice(self, number: devices.count)
    devices.append(device)
    return device
  }

  func advance(seconds: Int64 = 1) { now += seconds * 1000 }

  var serverMoment: ServerMoment {
    calls += 1
    let seed = withUnsafeBytes(of: calls.littleEndian) { Array($0) } + [UInt8](repeating: 3, count: 24)
    return ServerMoment(now: Self.start.advanced(byMilliseconds: now), entropy: Entropy(seed: seed))
  }

  /// Sends a request to the server, and reports the answer to the oracle.
  @discardableResult
  func ask(
    _ method: String, _ path: String, _ body: [UInt8], token: String? = nil, account: AccountID? = nil,
    isTold: Bool = true
  ) throws -> (outcome: ServerOutcome, response: FullResponse) {
    advance()
    let request = ServerRequest(
      method: method, path: path, authorization: token.map { "Bearer \($0)" }, contentType: "application/json",
      body: body, remoteAddress: "192.0.2.1")
    let outcome = core.respond(to: request, at: serverMoment, in: server)
    guard case .full(let response) = outcome.response else { throw SceneError.noAnswer }
    if isTold { oracle.answered(request, response, account: account, now: now) }
    if path == Route.sync, let account { lastExchange = (request, response, account) }
    return (outcome, response)
  }

  /// Sends the due messages to the responders, who accept all of them.
  func deliver() throws {
    advance(seconds: 10)
    // An account's messages to one host take turns.
    while try deliverOneTurn() {}
  }

  /// Returns false if nothing was due.
  private func deliverOneTurn() throws -> Bool {
    let claimed = try core.claimDeliveries(limit: 100, at: serverMoment, in: server)
    for attempt in claimed.attempts {
      guard let channel = attempt.target.channel else { continue }
      let text = String(decoding: attempt.body, as: UTF8.self)
      let isSafe = text.contains("safe now")
      oracle.arrived(
        ResponderMessage(
          channel: channel.url, alert: attempt.target.alert, kind: isSafe ? .safe : .help, text: text,
          isMarkedAsDrill: text.contains("DRILL")), now: now)
      _ = try core.completeDelivery(
        DeliveryCompletion(of: attempt, .status(200, retryAfter: nil)), at: serverMoment, in: server)
    }
    return !claimed.attempts.isEmpty
  }

  func deliveries(of alert: AlertID) throws -> [StoredDelivery] {
    try server.read { transaction in
      try oracle.server.accountIDs.flatMap { try transaction.deliveries(of: alert, account: $0) }
    }
  }

  /// Sets what the server shows of a message.
  func finish(_ delivery: StoredDelivery, _ state: DeliveryState) throws {
    var finished = delivery
    finished.state = state
    finished.dueAt = nil
    finished.isLeased = false
    var writes = WriteSet(account: finished.target.account)
    writes.changedDeliveries = [finished]
    try server.write { try $0.apply(writes) }
  }

  /// Replaces the server's files of one prefix with those of another.
  private func copyFiles(from oldPrefix: String, to newPrefix: String) throws {
    let manager = FileManager.default
    for suffix in ["", "-wal", "-shm"] {
      let old = "\(folder)/\(oldPrefix)server.sqlite\(suffix)"
      let new = "\(folder)/\(newPrefix)server.sqlite\(suffix)"
      if manager.fileExists(atPath: new) { try manager.removeItem(atPath: new) }
      // Closing the server leaves all three: the log has what no checkpoint has copied into the database.
      try manager.copyItem(atPath: old, toPath: new)
    }
  }

  func backUp() throws {
    server.close()
    try copyFiles(from: "", to: "of-")
    oracle.backedUp(now: now)
  }

  func restore() throws {
    server.close()
    try copyFiles(from: "of-", to: "")
    server = try SQLiteServerStore.open(path: folder + "/server.sqlite")
    oracle.restored(now: now)
  }

  /// Changes the server's database directly.
  func spoilServer(_ sql: String) throws {
    try server.write { transaction in
      try #require(transaction as? SQLiteServerTransaction).connection.execute(sql)
    }
  }

  var stores: [(number: Int, store: LocalStore)] { devices.map { ($0.number, $0.store) } }

  func look() { for device in devices { oracle.look(at: device.store, of: device.number, now: now) } }

  func unsettled() -> [String] { oracle.unsettled(stores, server, now: now) }

  /// Runs the checks at the end of a run, and returns the broken promises, each once.
  func finish() -> [Violation.Promise] {
    oracle.finish(stores, server, now: now)
    return broken
  }

  var broken: [Violation.Promise] {
    Violation.Promise.allCases.filter { promise in oracle.violations.contains { $0.promise == promise } }
  }
}

enum SceneError: Error {
  case noAnswer
}
