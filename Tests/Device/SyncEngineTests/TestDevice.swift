import LocalStore
import Model
import SyncEngine
import SystemKit
import TestSupport
import Wire

/// A device with a real store in its own folder, and a network controlled by a test.
final class TestDevice {
  enum Fate {
    case arrives
    /// The server does the work, and its answer is lost.
    case answerLost
    case fails(TransportFailure)
    case answered(HTTPAnswer)
    /// The request never arrives, and no failure is reported.
    case hangs
  }

  private let folder = ScratchFolder(in: ScratchFolder.onDisk)
  let home: HomeDirectory
  let store: LocalStore
  let server: FakeServer
  var coordinator: SyncCoordinator
  var configuration = SyncConfiguration(endpoint: "https://one.example")
  var now: Int64 = 7_000_000
  var wall: Int64 = 1_800_000_000_000
  var boot: String?
  var jitter = 0.5
  var fate: (TransportRequest) -> Fate = { _ in .arrives }
  private(set) var requests: [TransportRequest] = []
  private(set) var inFlight: [TransportRequest] = []
  private(set) var streams: Set<RequestID> = []
  private(set) var cancelled: [RequestID] = []
  private(set) var reports: [SyncReport] = []
  private(set) var storeErrors: [LocalStoreError] = []
  private(set) var wake: Int64?

  init(
    _ mode: SyncMode = .continuous, second: String? = nil, isSignedIn: Bool = true, server: FakeServer = FakeServer()
  ) throws {
    home = HomeDirectory(path: folder.path)
    let counter = Counter()
    var options = StoreOptions.live
    options.random = { counter.next() }
    store = try LocalStore.open(
      home, options: options,
      at: Moment(wall: Timestamp(milliseconds: wall), monotonicMilliseconds: now))
    self.server = server
    configuration.secondEndpoint = second
    coordinator = SyncCoordinator(store: store, configuration: configuration, mode: mode)
    if isSignedIn { try signIn() }
  }

  deinit {
    store.close()
  }

  var moment: Moment { Moment(wall: Timestamp(milliseconds: wall), monotonicMilliseconds: now, boot: boot) }
  var paths: [String] { requests.map { String($0.url.dropFirst("https://one.example".count)) } }
  var bearers: [String?] { requests.map { $0.headers.first { $0.name == "Authorization" }?.value } }
  var syncs: [TransportRequest] { requests.filter { $0.url.hasSuffix(Route.sync) } }

  func signIn() throws {
    try store.signIn(
      Session(
        accountID: AccountID(versionSevenAt: moment.wall, random: (1, 1)), phone: "+12025550100",
        accessToken: server.accessToken, refreshToken: server.refreshToken,
        accessExpiresAt: server.time.advanced(byMilliseconds: 900_000), alertKey: server.alertKey),
      at: moment)
  }

  /// Starts another run on the same store.
  func restart(_ mode: SyncMode) {
    coordinator = SyncCoordinator(store: store, configuration: configuration, mode: mode)
    inFlight = []
    streams = []
    wake = nil
  }

  @discardableResult func raise(_ message: String? = nil) throws -> Alert {
    try store.activateAlert(
      AlertDraft(message: message, location: nil, isDrill: false, utcOffsetMinutes: nil), at: moment
    ).alert
  }

  @discardableResult func addContact(_ name: String) throws -> Contact {
    let details = try ContactDetails(
      name: name, phone: "+12025550101", isResponder: true, isDependent: false, channels: [])
    return try store.putContact(nil, details, at: moment)
  }

  // MARK: Driving

  /// Handles an event and everything that follows. Only the round trips to the server take time.
  func tell(_ event: SyncEvent) {
    perform(coordinator.handle(event, at: moment, jitter: jitter))
    deliver()
  }

  func deliver() {
    while let index = inFlight.firstIndex(where: { !$0.isStream && !isHanging($0) }) {
      let request = inFlight.remove(at: index)
      pass(10)
      let event = event(for: request)
      pass(10)
      perform(coordinator.handle(event, at: moment, jitter: jitter))
    }
  }

  /// Answers one request.
  func answer(_ request: TransportRequest) {
    inFlight.removeAll { $0.id == request.id }
    perform(coordinator.handle(.answer(request.id, server.answer(request)), at: moment, jitter: jitter))
  }

  /// Has one request fail that the server has answered.
  func lose(_ request: TransportRequest) {
    inFlight.removeAll { $0.id == request.id }
    _ = server.answer(request)
    perform(coordinator.handle(.failure(request.id, .protocolError("reset")), at: moment, jitter: jitter))
  }

  private func isHanging(_ request: TransportRequest) -> Bool {
    if case .hangs = fate(request) { true } else { false }
  }

  private func event(for request: TransportRequest) -> SyncEvent {
    switch fate(request) {
    case .arrives: return .answer(request.id, server.answer(request))
    case .answerLost:
      _ = server.answer(request)
      return .failure(request.id, .protocolError("reset"))
    case .fails(let failure): return .failure(request.id, failure)
    case .answered(let answer): return .answer(request.id, answer)
    case .hangs: return .timer
    }
  }

  func perform(_ commands: [SyncCommand]) {
    for command in commands {
      switch command {
      case .send(let request):
        requests.append(request)
        inFlight.append(request)
        if request.isStream { streams.insert(request.id) }
      case .cancel(let id):
        inFlight.removeAll { $0.id == id }
        streams.remove(id)
        cancelled.append(id)
      case .wake(let time): wake = time
      case .finish(let report): reports.append(report)
      case .storeFailed(let error): storeErrors.append(error)
      }
    }
  }

  func pass(_ milliseconds: Int64) {
    now += milliseconds
    wall += milliseconds
    server.time = server.time.advanced(byMilliseconds: milliseconds)
  }

  /// Lets time pass until the planner's next wake-up, `times` times.
  func passToWake(_ times: Int = 1) {
    for _ in 0..<times {
      guard let wake else { return }
      pass(max(0, wake - now))
      tell(.timer)
    }
  }

  /// Lets time pass until nothing is queued, for at most this many wake-ups.
  func passUntilSent(_ looks: Int = 200) throws {
    for _ in 0..<looks where try store.pendingCount() > 0 { passToWake() }
  }

  func openStreams() {
    for id in streams { tell(.streamOpened(id)) }
  }
}

/// Repeatable random bits.
final class Counter: Sendable {
  private let state = Lock(SeededRandom(seed: 7))

  func next() -> (UInt64, UInt64) { state.withLock { ($0.next(), $0.next()) } }
}

extension LocalStore {
  /// Signs out with nothing between the agreement and the end.
  func signOut(
    discardPending: Bool, at moment: Moment = Moment(wall: Timestamp(milliseconds: 0), monotonicMilliseconds: 0)
  )
    throws
  {
    let agreement = try signOutAgreement(at: moment)
    let accepted = discardPending ? agreement : agreement.keepingQueue
    try finishSignOut(of: try beginSignOut(accepted, at: moment), accepted)
  }
}
