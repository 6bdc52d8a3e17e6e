import ChildPrograms
import Glibc
import Model
import ServerStoreSQLite
import SystemKit
import Testing
import Wire

@testable import CurlKit
@testable import ServerCore
@testable import ServerHTTP

/// The store takes nothing for longer than the leases of messages that are under way.
@Suite(.blocking) struct `After the store has failed for long` {
  /// Answers each request with 200, once it is released.
  private final class HeldTransport: OutboundTransport, Sendable {
    private struct State {
      var started: [String] = []
      var waiting: [CurlRequestID] = []
      var isReleased = false
      /// The loop has all answers.
      var isTaken = false
    }

    private let state = Lock(State())
    private let pipe: WakePipe

    init() throws { pipe = try #require(WakePipe()) }

    var started: [String] { state.withLock { $0.started } }
    var isWaiting: Bool { state.withLock { !$0.waiting.isEmpty } }
    var isTaken: Bool { state.withLock { $0.isTaken } }

    func release() {
      state.withLock { $0.isReleased = true }
      pipe.wakeUp()
    }

    func start(_ request: CurlRequest) throws(CurlError) -> CurlRequestID {
      state.withLock { state in
        state.started.append(request.url)
        let id = CurlRequestID(number: UInt64(state.started.count))
        state.waiting.append(id)
        return id
      }
    }

    func cancel(_ id: CurlRequestID) { state.withLock { state in state.waiting.removeAll { $0 == id } } }

    func poll(timeoutMilliseconds: Int?, watching descriptors: [Int32]) throws(CurlError) -> CurlLoop.PollResult {
      var answered = takeAnswered()
      if answered.isEmpty {
        var watched = (descriptors + [pipe.descriptor]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = Glibc.poll(&watched, nfds_t(watched.count), Int32(clamping: timeoutMilliseconds ?? -1))
        pipe.drain()
        answered = takeAnswered()
      }
      return CurlLoop.PollResult(
        events: answered.map { .opened($0, CurlResponseHead(status: 200, headers: [:])) }, readable: [])
    }

    private func takeAnswered() -> [CurlRequestID] {
      state.withLock { state in
        guard state.isReleased else { return [] }
        state.isTaken = state.waiting.isEmpty
        defer { state.waiting = [] }
        return state.waiting
      }
    }
  }

  /// A store that takes nothing while it is full, and may stand still.
  private final class FullStore: ServerStore {
    enum Standstill {
      case beforeTransaction, afterCommit
    }

    private let store: any ServerStore
    let freeBytes: UInt64? = nil
    let isFull = Lock(false)
    let refusals = Lock(0)
    let standstill = Lock<Standstill?>(nil)
    /// Whether a transaction waits for its end.
    let isStanding = Lock(false)

    init(_ store: any ServerStore) { self.store = store }

    func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result { try store.read(body) }

    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
      guard !isFull.withLock({ $0 }) else {
        refusals.withLock { $0 += 1 }
        throw StorageError(.diskFull, "the disk is full")
      }
      stand(.beforeTransaction)
      let result = try store.write(body)
      stand(.afterCommit)
      return result
    }

    private func stand(_ place: Standstill) {
      while standstill.withLock({ $0 }) == place {
        isStanding.withLock { $0 = true }
        sched_yield()
      }
      isStanding.withLock { $0 = false }
    }
  }

  private let transport: HeldTransport
  private let store: FullStore
  private let server: LiveServer
  private let session: SessionResponse
  private let channels: [String]

  init() throws {
    let transport = try HeldTransport()
    var full: FullStore?
    server = try LiveServer(
      makeTransport: { transport },
      wrap: {
        let store = FullStore($0)
        full = store
        return store
      },
      configure: {
        $0.deliveries.inFlight = InFlightLimits(perHost: 1000, perAccount: 1000)
        $0.deliveries.inFlight.all = 1000
      })
    self.transport = transport
    store = try #require(full)
    session = try server.signIn()
    channels = (0..<150).map { "http://127.0.0.1:9/\($0)" }
  }

  /// A drill, so that nobody is asked again, of which 15 contacts with ten channels each are told.
  private func raise(addingContacts: Bool) throws -> AlertID {
    let (alert, client) = try beginToRaise(addingContacts: addingContacts)
    try #require(try client.answer().status == 200)
    return alert
  }

  private func beginToRaise(addingContacts: Bool) throws -> (AlertID, RawClient) {
    let alert: AlertID = newID()
    var changes: [(EntityID, Mutation.Change)] = []
    for start in stride(from: 0, to: addingContacts ? channels.count : 0, by: 10) {
      let details = try ContactDetails(
        name: "Ana \(start)", phone: "+12025550188", isResponder: true, isDependent: false,
        channels: channels[start..<start + 10].map { try Channel($0) })
      changes.append((newID(), .putContact(details)))
    }
    let activation = AlertActivation(
      startedAt: LiveServer.now(), message: "test", location: nil, isDrill: true, utcOffsetMinutes: nil)
    changes.append((EntityID(alert), .activateAlert(activation)))
    let notification = NotificationRequest(id: newID(), alertID: alert, notice: .activated)
    return (alert, try server.begin(session, changes, notifications: [notification]))
  }

  private func isSent(_ alert: AlertID) throws -> Bool {
    let deliveries = try server.store.read { try $0.deliveries(of: alert, account: session.user.id) }
    return deliveries.count == channels.count && deliveries.allSatisfy { $0.state == .sent }
  }

  @Test(.timeLimit(.minutes(5))) func `no message that was sent is sent again`() throws {
    let first = try raise(addingContacts: true)
    while transport.started.count < channels.count { sched_yield() }
    store.isFull.withLock { $0 = true }
    transport.release()
    while transport.isWaiting { sched_yield() }
    let refusals = store.refusals.withLock { $0 }
    while store.refusals.withLock({ $0 }) == refusals { sched_yield() }
    server.setClockForward(seconds: 120)
    store.isFull.withLock { $0 = false }
    let second = try raise(addingContacts: false)
    while try !isSent(first) || !isSent(second) { sched_yield() }
    #expect(transport.started.sorted() == (channels + channels).sorted())
  }

  /// For longer than the leases of all messages.
  private func endStandstill() {
    server.setClockForward(seconds: 120)
    store.standstill.withLock { $0 = nil }
  }

  @Test(.timeLimit(.minutes(5))) func `no message is sent again whose answer came while the store stood still`() throws
  {
    let first = try raise(addingContacts: true)
    while transport.started.count < channels.count { sched_yield() }
    store.standstill.withLock { $0 = .beforeTransaction }
    let (second, client) = try beginToRaise(addingContacts: false)
    while !store.isStanding.withLock({ $0 }) { sched_yield() }
    transport.release()
    while !transport.isTaken { sched_yield() }
    endStandstill()
    #expect(try client.answer().status == 200)
    while try !isSent(first) || !isSent(second) { sched_yield() }
    #expect(transport.started.sorted() == (channels + channels).sorted())
  }

  @Test(.timeLimit(.minutes(5))) func `no message is sent for a lease that is over`() throws {
    store.standstill.withLock { $0 = .afterCommit }
    let (first, client) = try beginToRaise(addingContacts: true)
    while !store.isStanding.withLock({ $0 }) { sched_yield() }
    endStandstill()
    #expect(try client.answer().status == 200)
    let second = try raise(addingContacts: false)
    while transport.started.count < 2 * channels.count { sched_yield() }
    transport.release()
    while try !isSent(first) || !isSent(second) { sched_yield() }
    #expect(transport.started.sorted() == (channels + channels).sorted())
  }
}

@Suite struct `The lease of a message` {
  private static func reading(wall: Int64, monotonic: Int64) -> ClockReading {
    ClockReading(wall: Timestamp(milliseconds: wall), monotonic: monotonic)
  }

  private static let lease = DeliveryLease(claimedAt: reading(wall: 5000, monotonic: 100), milliseconds: 60_000)

  @Test(
    arguments: [(0, 0, true), (40_000, 40_000, true), (40_001, 0, false), (-90_000, 40_001, false)]
      as [(Int64, Int64, Bool)])
  func `holds for an attempt that ends before it by both clocks`(wall: Int64, monotonic: Int64, holds: Bool) {
    let now = Self.reading(wall: 5000 + wall, monotonic: 100 + monotonic)
    #expect(Self.lease.holds(forMilliseconds: 20_000, at: now) == holds)
  }

  @Test func `that is over has its message given back once, and not for ever`() {
    let attempt = DeliveryAttempt(
      id: newID(), number: 1,
      target: DeliveryTarget(account: newID(), alert: newID(), contact: newID(), channel: nil), saysHelp: true,
      isAside: false, request: ChannelRequest(url: "https://h.example", headers: [], body: []),
      timeoutMilliseconds: 20_000)
    var leases = DeliveryLeases()
    let leased = LeasedAttempt(attempt: attempt, lease: Self.lease)
    let (early, late) = (Self.lease.claimedAt, Self.reading(wall: 5000, monotonic: 70_000))
    let starts = [early, late, late, late, early, late].map { leases.mayStart(leased, at: $0) }
    #expect(starts == [true, false, true, false, true, false])
  }
}
