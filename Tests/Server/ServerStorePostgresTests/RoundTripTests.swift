import ChildPrograms
import Model
import PostgresKit
import ServerCore
import SystemKit
import Testing
import Wire

@testable import ServerStorePostgres
@testable import StoreContract

/// Counts what goes to PostgreSQL and has to be waited for; the core's own tests count what it asks for.
@Suite(.blocking, .timeLimit(.minutes(5)))
struct `The round trips to PostgreSQL of` {
  private let subject: PostgresSubject
  private let bench: Bench
  private let store: CountingStore
  private let core: ServerCore

  init() throws {
    subject = try PostgresSubject()
    bench = Bench(subject)
    var settings = PostgresSubject.settings(subject.database.url)
    // A decision about 500 alerts takes seconds in a program that was built for tests.
    settings.idleMilliseconds = 60_000
    store = CountingStore(store: try PostgresServerStore.open(settings))
    var configuration = ServerConfiguration(publicURL: "https://server.example")
    configuration.limits.itemsPerTransaction = .max
    configuration.limits.contacts = 1000
    configuration.limits.newAlerts.burst = 1000
    core = ServerCore(configuration: configuration, keys: try bench.core().keys)
  }

  // The credential with the facts, then what is written.
  @Test(arguments: [1, 17, 500])
  func `an exchange are two before its commit, however many items it has`(count: Int) throws {
    let token = try signIn()
    _ = try post(Route.sync, exchange([], []), token)
    let contacts = try (0..<count).map { number in
      // One is told of all alerts.
      try mutation(
        1000 + number,
        .putContact(
          ContactDetails(
            name: "Ana", phone: "+12025550199", isResponder: number == 0, isDependent: false,
            channels: [try Channel("https://chat.example/ana")])))
    }
    #expect(try applied(post(Route.sync, exchange(contacts, []), token)) == count)
    #expect(store.takeCounts() == [2])
    let start = AlertActivation(
      startedAt: Bench.now, message: nil, location: nil, isDrill: false, utcOffsetMinutes: nil)
    let alerts = (0..<count).map { mutation(3000 + $0, .activateAlert(start)) }
    let notifications = (0..<count).map {
      NotificationRequest(
        id: bench.identifier(7000 + $0), alertID: AlertID(alerts[$0].entityID), notice: .activated)
    }
    // Each alert, and each wish that it be told of.
    #expect(try applied(post(Route.sync, exchange(alerts, notifications), token)) == 2 * count)
    #expect(store.takeCounts() == [2])
  }

  private func applied(_ body: [UInt8]) throws -> Int {
    try SyncResponse(jsonBytes: body).results.count { $0.status == .applied }
  }

  private func signIn() throws -> String {
    let asked = try respond(Route.verifications, VerificationRequest(phone: "+12025550123", region: nil).json(), nil)
    let verification = try VerificationResponse(jsonBytes: asked.body).verificationID
    let code = try #require(asked.codes.first).code
    let session = SessionRequest(verificationID: verification, code: code, deviceName: "test")
    return try SessionResponse(jsonBytes: post(Route.sessions, session.json(), nil)).tokens.accessToken
  }

  private func mutation(_ number: Int, _ change: Mutation.Change) -> Mutation {
    Mutation(id: bench.identifier(number), entityID: bench.identifier(number), occurredAt: Bench.now, change: change)
  }

  private func exchange(_ mutations: [Mutation], _ notifications: [NotificationRequest]) -> [UInt8] {
    let queued = mutations.map {
      SyncRequestWriter.QueuedMutation(
        id: $0.id, kind: $0.change.kind, entityID: $0.entityID, occurredAt: $0.occurredAt,
        body: MutationBody.text(of: $0.change))
    }
    return SyncRequestWriter.body(
      deviceID: bench.identifier(3), cursor: nil, mutations: queued, notifications: notifications, limit: 500)
  }

  /// The body of the answer; what came before is not counted.
  private func post(_ path: String, _ body: [UInt8], _ token: String?) throws -> [UInt8] {
    _ = store.takeCounts()
    return try respond(path, body, token).body
  }

  private func respond(
    _ path: String, _ body: [UInt8], _ token: String?
  ) throws -> (body: [UInt8], codes: [CodeMessage]) {
    let request = ServerRequest(
      method: "POST", path: path, authorization: token.map { "Bearer \($0)" }, contentType: "application/json",
      body: body, remoteAddress: "192.0.2.1")
    let outcome = core.respond(to: request, at: bench.moment(1), in: store)
    guard case .full(let answer) = outcome.response else {
      throw Unanswered(path: path, status: 0, fault: outcome.fault)
    }
    guard answer.status < 300 else { throw Unanswered(path: path, status: answer.status, fault: outcome.fault) }
    return (answer.body, outcome.codes)
  }
}

private struct Unanswered: Error {
  let path: String
  let status: Int
  let fault: StorageError?
}

/// A store that notes how many round trips each transaction took before its commit.
private final class CountingStore: ServerStore {
  let store: PostgresServerStore
  private let counts = Lock<[Int]>([])

  init(store: PostgresServerStore) { self.store = store }

  var freeBytes: UInt64? { store.freeBytes }

  /// Those since the last call.
  func takeCounts() -> [Int] {
    counts.withLock { counts in
      defer { counts = [] }
      return counts
    }
  }

  func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    try store.read { try counted($0, body) }
  }

  func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    try store.write { try counted($0, body) }
  }

  func follow(_ take: @escaping @Sendable (OthersChanges) -> Void) throws(StorageError) -> (any StoreFollower)? {
    try store.follow(take)
  }

  private func counted<Result>(
    _ transaction: any ServerTransaction, _ body: (any ServerTransaction) throws -> Result
  ) throws -> Result {
    defer {
      if let transaction = transaction as? PostgresTransaction {
        counts.withLock { $0.append(transaction.roundTrips) }
      }
    }
    return try body(transaction)
  }
}
