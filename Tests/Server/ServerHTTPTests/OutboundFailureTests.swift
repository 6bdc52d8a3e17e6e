import ChildPrograms
import Glibc
import Model
import Synchronization
import SystemKit
import Testing
import Wire

@testable import CurlKit
@testable import ServerHTTP

/// Tests calls for help while libcurl itself fails.
@Suite(.blocking) struct `A broken sender` {
  /// A transport whose `poll` fails while `isBroken` is true.
  private final class FragileTransport: OutboundTransport {
    private let loop: CurlLoop
    private let fault: Fault

    init(_ fault: Fault) throws(CurlError) {
      loop = try CurlLoop()
      self.fault = fault
    }

    func start(_ request: CurlRequest) throws(CurlError) -> CurlRequestID { try loop.start(request) }
    func cancel(_ id: CurlRequestID) { loop.cancel(id) }

    func poll(timeoutMilliseconds: Int?, watching descriptors: [Int32]) throws(CurlError) -> CurlLoop.PollResult {
      let result = try loop.poll(timeoutMilliseconds: timeoutMilliseconds, watching: descriptors)
      if fault.isBroken.load(ordering: .sequentiallyConsistent) { throw CurlError(.internalError, "out of memory") }
      return result
    }
  }

  private final class Fault: Sendable {
    let isBroken = Atomic(false)
  }

  @Test(.timeLimit(.minutes(5))) func `is replaced, and the next one sends what was under way`() throws {
    let webhook = try TestReceiver([.silence, .init(status: 200)])
    let fault = Fault()
    let server = try LiveServer(makeTransport: { () throws(CurlError) in try FragileTransport(fault) })
    let session = try server.signIn()
    let stream = try server.events(session)
    #expect(try server.client().exchange("GET", Route.ready).status == 200)

    try raise(on: server, session, "http://127.0.0.1:\(webhook.port)/hook")
    let first = try #require(webhook.next())
    fault.isBroken.store(true, ordering: .sequentiallyConsistent)
    // Any request wakes the sender, which then fails.
    try raise(on: server, session, "http://127.0.0.1:\(webhook.port)/hook")
    while try server.client().exchange("GET", Route.ready).status == 200 {
      _ = try stream.read(until: StreamEvent.change.text)
    }
    #expect(try server.client().exchange("GET", Route.ready).status == 503)
    #expect(try server.client().exchange("GET", Route.health).status == 200)

    fault.isBroken.store(false, ordering: .sequentiallyConsistent)
    let second = try #require(webhook.next())
    let third = try #require(webhook.next())
    #expect([second, third].contains { $0.headers["webhook-id"] == first.headers["webhook-id"] })
    // The answers arrive after the requests, and each one is a change.
    while try server.client().exchange("GET", Route.ready).status != 200 {
      _ = try stream.read(until: StreamEvent.change.text)
    }
  }

  @Test(.timeLimit(.minutes(5))) func `does not delay the end of the server`() throws {
    let fault = Fault()
    fault.isBroken.store(true, ordering: .sequentiallyConsistent)
    let server = try LiveServer(makeTransport: { () throws(CurlError) in try FragileTransport(fault) })
    _ = try server.signIn()
    let start = monotonicMilliseconds()
    server.stop()
    #expect(monotonicMilliseconds() - start < 1000)
  }

  private func raise(on server: LiveServer, _ session: SessionResponse, _ channel: String) throws {
    let alert: AlertID = newID()
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550188", isResponder: true, isDependent: false, channels: [Channel(channel)])
    // The contact is the same, so its channel gets each alert.
    let contact = EntityID(contact)
    _ = try server.sync(
      session, [(contact, .putContact(details)), (EntityID(alert), activation(message: "fire"))],
      notifications: [NotificationRequest(id: newID(), alertID: alert, notice: .activated)])
  }

  private let contact: ContactID = newID()
}

@Suite(.blocking) struct `An answer that never ends` {
  /// Whatever is asked, the answer begins at once and does not end.
  private final class DrippingTransport: OutboundTransport, Sendable {
    struct State {
      var started: UInt64 = 0
      var opening: [CurlRequestID] = []
      var open: Set<CurlRequestID> = []
      var most = 0
    }

    let state = Lock(State())

    func start(_ request: CurlRequest) throws(CurlError) -> CurlRequestID {
      state.withLock { state in
        state.started += 1
        let id = CurlRequestID(number: state.started)
        state.opening.append(id)
        state.open.insert(id)
        state.most = max(state.most, state.open.count)
        return id
      }
    }

    func cancel(_ id: CurlRequestID) { _ = state.withLock { $0.open.remove(id) } }

    func poll(timeoutMilliseconds: Int?, watching descriptors: [Int32]) throws(CurlError) -> CurlLoop.PollResult {
      let opening = state.withLock { state in
        defer { state.opening = [] }
        return state.opening
      }
      if opening.isEmpty {
        var watched = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = Glibc.poll(&watched, nfds_t(watched.count), Int32(clamping: timeoutMilliseconds ?? -1))
      }
      return CurlLoop.PollResult(
        events: opening.map { .opened($0, CurlResponseHead(status: 200, headers: [:])) }, readable: [])
    }
  }

  @Test(.timeLimit(.minutes(5))) func `holds no connection that another message needs`() throws {
    let transport = DrippingTransport()
    let server = try LiveServer(makeTransport: { transport })
    let session = try server.signIn()
    let alert: AlertID = newID()
    var changes: [(EntityID, Mutation.Change)] = []
    for number in 0..<30 {
      let channels = try (0..<10).map { try Channel("http://127.0.0.1:9/\(number)/\($0)") }
      let details = try ContactDetails(
        name: "Ana \(number)", phone: "+12025550188", isResponder: true, isDependent: false, channels: channels)
      changes.append((newID(), .putContact(details)))
    }
    changes.append((EntityID(alert), activation(message: "fire")))
    _ = try server.sync(
      session, changes, notifications: [NotificationRequest(id: newID(), alertID: alert, notice: .activated)])
    while transport.state.withLock({ $0.started }) < 300 { sched_yield() }
    server.stop()
    let sent = try server.store.read { try $0.deliveries(of: alert, account: session.user.id) }
    #expect(sent.allSatisfy { $0.state == .sent }, "each answer is recorded when it begins")
    let most = transport.state.withLock { $0.most }
    // One host has no more than 64 attempts at once.
    #expect(most <= OutboundWorker.drainLimit + 64, "\(most) connections")
  }
}
