import Model
import ServerCore
import Wire

@testable import ServerHTTP
@testable import ServerStoreSQLite

extension FuzzTarget {
  /// A sequence of requests in one transaction that is rolled back at the end, so that each input meets the same store.
  ///
  /// The byte 1E separates them. Each is a line `METHOD TARGET CREDENTIALS MEDIA-TYPE` and its body; the credentials are
  /// `access`, `alert`, `refresh`, `-`, or the header itself with underscores for spaces. The server never fails, and a device
  /// can read every answer.
  static let server = FuzzTarget("server", isSlow: true) {
    serverSeeds
  } run: { bytes in
    let server = ServerUnderTest.shared
    do {
      try server.store.write { transaction in
        guard let transaction = transaction as? SQLiteServerTransaction else { return }
        let store = SavepointStore(transaction: transaction)
        for (number, part) in bytes.split(separator: 0x1E).prefix(12).enumerated() {
          guard let request = request(Array(part), server.session) else { continue }
          check(server.core.respond(to: request, at: ServerUnderTest.moment(number), in: store), to: request)
        }
        deliver(answeredBy: bytes.last ?? 0, server, store)
        throw Undo()
      }
    } catch {
      require(error is Undo, "the store takes a transaction and its undoing")
    }
  }
}

private struct Undo: Error {}

/// Runs the requests' transactions as savepoints of an open one.
private struct SavepointStore: ServerStore, @unchecked Sendable {
  // Used by one thread, inside the transaction.
  let transaction: SQLiteServerTransaction

  func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result { try run(body) }
  func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result { try run(body) }

  private func run<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    try transaction.connection.execute("SAVEPOINT request")
    do {
      let result = try body(transaction)
      try transaction.connection.execute("RELEASE request")
      return result
    } catch {
      try transaction.connection.execute("ROLLBACK TO request")
      try transaction.connection.execute("RELEASE request")
      throw error
    }
  }
}

private func request(_ bytes: [UInt8], _ session: SessionResponse) -> ServerRequest? {
  let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
  let words = Array(bytes[..<end]).text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
  guard words.count >= 2, let target = RequestTarget(words[1]) else { return nil }
  let credentials: String?
  switch words.count > 2 ? words[2] : "-" {
  case "-": credentials = nil
  case "access": credentials = "Bearer \(session.tokens.accessToken)"
  case "alert": credentials = "bearer  \(session.alertKey)"
  case "refresh": credentials = "Bearer \(session.tokens.refreshToken)"
  case let text: credentials = String(text.map { $0 == "_" ? " " : $0 })
  }
  return ServerRequest(
    method: words[0], path: target.path, query: target.query, authorization: credentials,
    contentType: words.count > 3 ? words[3] : "application/json", body: Array(bytes[end...].dropFirst()),
    remoteAddress: words.count > 4 ? words[4] : "192.0.2.1")
}

private func check(_ outcome: ServerOutcome, to request: ServerRequest) {
  require(outcome.fault == nil, "no request makes the store fail: \(outcome.fault?.message ?? "")")
  guard case .full(let response) = outcome.response else { return }
  require(response.status != 500, "no request is the server's fault")
  for header in response.headers {
    require((header.name + header.value).utf8.allSatisfy { $0 >= 0x20 }, "an answer's headers are one line each")
  }
  switch response.mediaType {
  case Problem.mediaType: require((try? Problem(jsonBytes: response.body)) != nil, "a problem is one of ours")
  case "application/json":
    require((try? JSONDocument(response.body)) != nil, "an answer is JSON")
    guard request.path == Route.sync else { return }
    require((try? SyncResponse(jsonBytes: response.body)) != nil, "a device can read the answer to a sync")
  default: break
  }
}

/// Attempts everything that is due once, with an answer.
private func deliver(answeredBy byte: UInt8, _ server: ServerUnderTest, _ store: SavepointStore) {
  let answers: [DeliveryAnswer] = [
    .status(200, retryAfter: nil), .status(410, retryAfter: "-7"), .status(503, retryAfter: "99999999999999999999"),
    .status(-1, retryAfter: nil), .networkFailure("gone"), .addressRefused,
  ]
  let moment = ServerUnderTest.moment(100)
  do throws(StorageError) {
    for attempt in try server.core.claimDeliveries(limit: 20, at: moment, in: store).attempts {
      for header in attempt.headers {
        require(header.value.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a header of a message is printable ASCII")
      }
      require(attempt.url.hasPrefix("http"), "a message goes over HTTP")
      _ = try server.core.completeDelivery(
        DeliveryCompletion(of: attempt, answers[Int(byte) % answers.count]), at: moment, in: store)
    }
    _ = try server.core.nextDeliveryDue(at: moment, in: store)
  } catch {
    require(false, "deliveries do not make the store fail: \(error.message)")
  }
}

private var serverSeeds: [[UInt8]] {
  func join(_ requests: [[UInt8]]) -> [UInt8] { Array(requests.joined(separator: [0x1E])) }
  func get(_ target: String, _ credentials: String = "access") -> [UInt8] { Array("GET \(target) \(credentials)".utf8) }
  func post(_ path: String, _ body: [UInt8], _ credentials: String = "access") -> [UInt8] {
    Array("POST \(path) \(credentials) application/json\n".utf8) + body
  }
  let tokens = ServerUnderTest.shared.session.tokens
  let refresh = post(Route.tokens, TokenRequest(refreshToken: tokens.refreshToken).json(), "-")
  let syncs = Sample.syncRequests.map { post(Route.sync, $0) }
  let alert = Sample.identifier(1) as AlertID
  return syncs + [
    join([syncs[1], syncs[1], get("/v1/alerts?limit=1"), get("/v1/contacts")]),
    post(Route.sync, Sample.syncRequests[2], "alert"),
    join([
      get("/v1/alerts?responder=true&active=true"), get("/v1/alerts/\(alert)"),
      post("/v1/alerts/\(alert)/acknowledgements", []),
    ]),
    post(Route.verifications, VerificationRequest(phone: "+12025550147", region: nil).json(), "-"),
    post(Route.sessions, SessionRequest(verificationID: "vrf_A", code: "123456", deviceName: "Küche").json(), "-"),
    join([refresh, refresh, get("/v1/alerts")]),
    join([Array("DELETE /v1/auth/sessions/current access".utf8), syncs[0]]),
    join([
      get("/ready", "-"), get("/v1/events"), Array("PUT /v1/sync Basic_YQ== text/html\nx".utf8),
    ]),
  ]
}
