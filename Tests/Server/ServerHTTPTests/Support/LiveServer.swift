import CurlKit
import Dispatch
import Glibc
import Model
import Secrets
import ServerCore
import ServerStoreSQLite
import Synchronization
import SystemKit
import TestSupport
import Testing
import Wire

@testable import ServerHTTP

/// The whole server on a free port, over a SQLite file that is removed with it.
final class LiveServer {
  let server: LifeSignalServer
  let folder: ScratchFolder
  let store: SQLiteServerStore
  let operatorPath: String
  private let codes: CodeCollector
  private let clock: Clock

  /// The server's wall clock, which may be set forward.
  private final class Clock: Sendable {
    let offset = Atomic<Int64>(0)
  }

  init(
    folder: ScratchFolder? = nil, codes delivery: CodeDelivery = .console, allowsPrivateChannels: Bool = true,
    log: ServerLog = .silent, makeTransport: (@Sendable () throws(CurlError) -> any OutboundTransport)? = nil,
    wrap: (SQLiteServerStore) -> any ServerStore = { $0 },
    configure: (inout ServerConfiguration) -> Void = { _ in }, clockOffsetSeconds: Int64 = 0,
    adjust: (inout HTTPSettings) -> Void = { _ in }
  ) throws {
    let folder = folder ?? ScratchFolder(in: ScratchFolder.onDisk)
    self.folder = folder
    store = try SQLiteServerStore.open(path: folder.path + "/server.sqlite")
    let clock = Clock()
    self.clock = clock
    clock.offset.store(clockOffsetSeconds * 1000, ordering: .sequentiallyConsistent)
    let moment: @Sendable () -> ServerMoment = {
      let offset = clock.offset.load(ordering: .sequentiallyConsistent)
      return ServerMoment(now: Self.now().advanced(byMilliseconds: offset), entropy: .live())
    }
    var configuration = ServerConfiguration(
      publicURL: "http://localhost", allowsPrivateChannels: allowsPrivateChannels)
    configure(&configuration)
    let core = ServerCore(
      configuration: configuration,
      keys: try ServerKeys.load(from: store, at: moment()))
    // Several servers may share the folder.
    operatorPath = "\(folder.path)/operator-\(UInt32.random(in: .min ... .max)).sock"
    let collector = CodeCollector()
    codes = collector
    var http = HTTPSettings()
    adjust(&http)
    var options = LifeSignalServer.Options(http: http, codes: delivery, printLine: { collector.take($0) })
    if let makeTransport { options.makeTransport = makeTransport }
    server = try LifeSignalServer.start(
      on: ListeningSocket(ListenAddress("127.0.0.1:0")),
      operatorSocket: ListeningSocket(ListenAddress("unix:\(operatorPath)")), options, core: core,
      store: wrap(store), moment: moment,
      log: log)
  }

  deinit { stop() }

  func stop() {
    server.stop()
    store.close()
  }

  func setClockForward(seconds: Int64) { clock.offset.add(seconds * 1000, ordering: .sequentiallyConsistent) }

  /// To the operator's listener.
  func operatorClient() throws -> RawClient { try RawClient(path: operatorPath) }

  func client() throws -> RawClient { try RawClient(port: server.address.port, server: self) }

  static func now() -> Timestamp {
    Timestamp(milliseconds: KernelClock.wall.milliseconds())
  }

  /// Signs a number in, over HTTP.
  func signIn(_ phone: String = "+12025550123") throws -> SessionResponse {
    let client = try client()
    let asked = try client.post(Route.verifications, VerificationRequest(phone: phone, region: nil).json())
    try #require(asked.status == 201)
    let verification = try VerificationResponse(jsonBytes: asked.body)
    let code = try #require(codes.next())
    let request = SessionRequest(verificationID: verification.verificationID, code: code, deviceName: "test")
    let answer = try client.post(Route.sessions, request.json())
    try #require(answer.status == 201)
    return try SessionResponse(jsonBytes: answer.body)
  }

  /// One exchange, which succeeds.
  func sync(
    _ session: SessionResponse, _ changes: [(EntityID, Mutation.Change)] = [],
    notifications: [NotificationRequest] = [],
    cursor: String? = nil
  ) throws -> SyncResponse {
    let answer = try exchange(session, changes, notifications: notifications, cursor: cursor)
    try #require(answer.status == 200, "\(answer.text)")
    return try SyncResponse(jsonBytes: answer.body)
  }

  func exchange(
    _ session: SessionResponse, _ changes: [(EntityID, Mutation.Change)], notifications: [NotificationRequest] = [],
    cursor: String? = nil
  ) throws -> RawClient.Answer {
    try begin(session, changes, notifications: notifications, cursor: cursor).answer()
  }

  /// Sends an exchange whose answer is read later.
  func begin(
    _ session: SessionResponse, _ changes: [(EntityID, Mutation.Change)], notifications: [NotificationRequest] = [],
    cursor: String? = nil
  ) throws -> RawClient {
    let mutations = changes.map { entity, change in
      SyncRequestWriter.QueuedMutation(
        id: newID(), kind: change.kind, entityID: entity, occurredAt: Self.now(), body: MutationBody.text(of: change))
    }
    let body = SyncRequestWriter.body(
      deviceID: newID(), cursor: cursor, mutations: mutations, notifications: notifications, limit: 500)
    let client = try client()
    client.send(
      "POST", Route.sync,
      headers: ["Content-Type: application/json", "Authorization: Bearer \(session.tokens.accessToken)"], body: body)
    return client
  }

  /// An open event stream of the session.
  func events(_ session: SessionResponse) throws -> RawClient {
    let client = try client()
    client.send("GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(session.tokens.accessToken)\r\n\r\n")
    try #require(try client.head().status == 200)
    _ = try client.read(until: StreamEvent.heartbeat.text)
    return client
  }
}

func newID<Subject>() -> Identifier<Subject> {
  var entropy = Entropy.live()
  return Identifier(versionSevenAt: LiveServer.now(), random: entropy.words())
}

/// The codes that the server printed.
final class CodeCollector: Sendable {
  private let codes = Lock<[String]>([])
  private let arrivals = DispatchSemaphore(value: 0)

  func take(_ line: String) {
    guard line.hasPrefix("lifesignal-server: code for +") else { return }
    codes.withLock { $0.append(String(line.suffix(6))) }
    arrivals.signal()
  }

  func next() -> String? {
    guard arrivals.wait(timeout: .now() + .seconds(10)) == .success else { return nil }
    return codes.withLock { $0.removeFirst() }
  }
}

extension RawClient {
  func post(_ path: String, _ body: [UInt8], token: String? = nil) throws -> Answer {
    let authorization = token.map { ["Authorization: Bearer \($0)"] } ?? []
    return try exchange("POST", path, headers: ["Content-Type: application/json"] + authorization, body: body)
  }

  func get(_ path: String, token: String) throws -> Answer {
    try exchange("GET", path, headers: ["Authorization: Bearer \(token)"])
  }
}
