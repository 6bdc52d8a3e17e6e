import ChildPrograms
import CurlKit
import Dispatch
import Glibc
import Model
import ServerCore
import ServerStoreSQLite
import Synchronization
import TestSupport
import Testing
import Wire

@testable import ServerHTTP

/// What happens between an accepted alert and its first messages.
@Suite(.blocking) struct `The first message of an alert` {
  /// A transport whose `poll` waits until the gate is opened, so that the outbound loop does nothing meanwhile.
  private final class StalledTransport: OutboundTransport {
    private let loop: CurlLoop
    private let gate: Gate

    init(_ gate: Gate) throws(CurlError) {
      loop = try CurlLoop()
      self.gate = gate
    }

    func start(_ request: CurlRequest) throws(CurlError) -> CurlRequestID { try loop.start(request) }
    func cancel(_ id: CurlRequestID) { loop.cancel(id) }

    func poll(timeoutMilliseconds: Int?, watching descriptors: [Int32]) throws(CurlError) -> CurlLoop.PollResult {
      gate.pass()
      return try loop.poll(timeoutMilliseconds: timeoutMilliseconds, watching: descriptors)
    }
  }

  private final class MuteTransport: OutboundTransport {
    func start(_ request: CurlRequest) throws(CurlError) -> CurlRequestID {
      throw CurlError(.internalError, "out of memory")
    }

    func cancel(_ id: CurlRequestID) {}

    func poll(timeoutMilliseconds: Int?, watching descriptors: [Int32]) throws(CurlError) -> CurlLoop.PollResult {
      throw CurlError(.internalError, "out of memory")
    }
  }

  private final class Flag: Sendable {
    let value = Atomic(false)
  }

  private final class Gate: Sendable {
    let reached = DispatchSemaphore(value: 0)
    private let opened = DispatchSemaphore(value: 0)
    private let isOpen = Atomic(false)

    func pass() {
      guard !isOpen.load(ordering: .sequentiallyConsistent) else { return }
      reached.signal()
      opened.wait()
    }

    func open() {
      isOpen.store(true, ordering: .sequentiallyConsistent)
      opened.signal()
    }
  }

  /// A store that reports a failure once, after the commit of a message.
  private final class UnclearStore: ServerStore {
    private let store: any ServerStore
    private let isArmed = Atomic(true)

    init(_ store: any ServerStore) { self.store = store }

    func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result { try store.read(body) }

    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
      var hasMessage = false
      let result = try store.write { transaction in
        let result = try body(transaction)
        let any = Timestamp(milliseconds: 0)
        hasMessage = try transaction.outlook(
          at: LiveServer.now(), latest: LatestTimes(delivery: any, asking: any, silence: any)
        ).hasDeliveryTooLate
        return result
      }
      if hasMessage, isArmed.exchange(false, ordering: .sequentiallyConsistent) {
        throw StorageError(.inputOutput, "the disk failed")
      }
      return result
    }
  }

  private func raise(
    on server: LiveServer, _ session: SessionResponse, _ port: UInt16, answers status: Int = 200
  ) throws
    -> AlertID
  {
    let alert: AlertID = newID()
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550188", isResponder: true, isDependent: false,
      channels: [Channel("http://127.0.0.1:\(port)/hook")])
    let answer = try server.exchange(
      session, [(newID(), .putContact(details)), (EntityID(alert), activation(message: "fire"))],
      notifications: [NotificationRequest(id: newID(), alertID: alert, notice: .activated)])
    #expect(answer.status == status, "\(answer.text)")
    return alert
  }

  @Test(.timeLimit(.minutes(5))) func `is leased with the commit that accepts the alert`() throws {
    let webhook = try TestReceiver()
    let gate = Gate()
    let server = try LiveServer(makeTransport: { () throws(CurlError) in try StalledTransport(gate) })
    defer { gate.open() }
    gate.reached.wait()
    let session = try server.signIn()
    let alert = try raise(on: server, session, webhook.port)
    let deliveries = try server.store.read { try $0.deliveries(of: alert, account: session.user.id) }
    #expect(deliveries.map(\.isLeased) == [true])
    #expect(deliveries.map(\.attempts) == [1])
    gate.open()
    #expect(webhook.next() != nil)
    server.stop()
  }

  @Test(.timeLimit(.minutes(5))) func `does not wait for the end of a lease whose commit was reported as failed`()
    throws
  {
    let webhook = try TestReceiver()
    let server = try LiveServer(wrap: { UnclearStore($0) })
    let session = try server.signIn()
    _ = try raise(on: server, session, webhook.port, answers: 503)
    // The lease is a minute.
    #expect(webhook.next(withinSeconds: 30) != nil)
    server.stop()
  }

  @Test(.timeLimit(.minutes(5))) func `leaves by another process where the one that accepted the alert cannot send`()
    throws
  {
    let webhook = try TestReceiver()
    let folder = ScratchFolder(in: ScratchFolder.onDisk)
    let idle = try LiveServer(folder: folder)
    let wasMade = Flag()
    let mute = try LiveServer(
      folder: folder,
      makeTransport: { () throws(CurlError) in
        if wasMade.value.exchange(true, ordering: .sequentiallyConsistent) {
          throw CurlError(.internalError, "out of memory")
        }
        return MuteTransport()
      })
    // Once it has seen that it cannot send, it claims nothing.
    while try mute.client().exchange("GET", Route.ready).status == 200 { sched_yield() }
    let session = try mute.signIn()
    _ = try raise(on: mute, session, webhook.port)
    // Nobody tells the other: it looks by itself.
    #expect(webhook.next(withinSeconds: 20) != nil)
    idle.stop()
  }
}
