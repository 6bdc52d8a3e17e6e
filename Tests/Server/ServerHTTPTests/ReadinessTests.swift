import ChildPrograms
import Dispatch
import Glibc
import ServerCore
import ServerStoreSQLite
import Synchronization
import SystemKit
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `Readiness` {
  @Test func `ends with the database file and comes back with it`() throws {
    let server = try LiveServer()
    let session = try server.signIn()
    let client = try server.client()
    #expect(try client.exchange("GET", Route.ready).status == 200)
    let path = server.folder.path + "/server.sqlite"
    rename(path, path + ".away")
    #expect(try client.post(Route.sync, emptyExchange, token: session.tokens.accessToken).status == 503)
    let answer = try client.exchange("GET", Route.ready)
    #expect(answer.status == 503)
    #expect(answer.text.contains("the database file was removed"))
    rename(path + ".away", path)
    #expect(try client.post(Route.sync, emptyExchange, token: session.tokens.accessToken).status == 200)
  }

  /// A store whose next read waits.
  private final class GatedStore: ServerStore {
    private let store: any ServerStore
    private let isArmed = Atomic(false)
    let reached = DispatchSemaphore(value: 0)
    let opened = DispatchSemaphore(value: 0)

    init(_ store: any ServerStore) { self.store = store }

    func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }

    func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
      if isArmed.exchange(false, ordering: .sequentiallyConsistent) {
        reached.signal()
        opened.wait()
      }
      return try store.read(body)
    }

    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result { try store.write(body) }
  }

  @Test(.timeLimit(.minutes(5))) func `is said at once, however long an operator's other question takes`() throws {
    var gated: GatedStore?
    let server = try LiveServer(wrap: {
      let store = GatedStore($0)
      gated = store
      return store
    })
    let store = try #require(gated)
    let slow = try server.operatorClient()
    store.arm()
    slow.send("GET \(Route.metrics) HTTP/1.1\r\nHost: x\r\n\r\n")
    store.reached.wait()
    #expect(try server.client().exchange("GET", Route.ready).status == 200)
    store.opened.signal()
    #expect(try slow.head().status == 200)
  }

  /// A store that cannot be read.
  private final class LostStore: ServerStore {
    private let store: any ServerStore
    let freeBytes: UInt64? = nil
    let isLost = Lock(false)

    init(_ store: any ServerStore) { self.store = store }

    func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
      if isLost.withLock({ $0 }) { throw StorageError(.unreachable, "the database cannot be reached") }
      return try store.read(body)
    }
    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result { try store.write(body) }
  }

  @Test func `and what the process measures are told apart`() throws {
    var wrapped: LostStore?
    let server = try LiveServer(wrap: {
      let store = LostStore($0)
      wrapped = store
      return store
    })
    let store = try #require(wrapped)
    let client = try server.operatorClient()
    let healthy = try client.exchange("GET", Route.metrics).text
    #expect(healthy.contains("lifesignal_store_answers 1") && healthy.contains("lifesignal_active_alerts 0"))
    store.isLost.withLock { $0 = true }
    let answer = try client.exchange("GET", Route.metrics)
    #expect(answer.status == 200)
    #expect(answer.text.contains("lifesignal_store_answers 0") && answer.text.contains("lifesignal_connections"))
    #expect(!answer.text.contains("lifesignal_active_alerts"))
  }

  /// A store on a disk with so much room.
  private struct CrampedStore: ServerStore {
    let store: any ServerStore
    let freeBytes: UInt64?

    func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result { try store.read(body) }
    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result { try store.write(body) }
  }

  @Test func `ends before the disk is so full that an alert finds no room`() throws {
    let server = try LiveServer(wrap: { CrampedStore(store: $0, freeBytes: 15 << 20) })
    let client = try server.client()
    let answer = try client.exchange("GET", Route.ready)
    #expect(answer.status == 503)
    #expect(answer.text.contains("the disk is full"))
    let session = try server.signIn()
    #expect(
      try client.post(Route.sync, emptyExchange, token: session.tokens.accessToken).status == 200,
      "what finds room is taken all the same")
    let roomy = try LiveServer(wrap: { CrampedStore(store: $0, freeBytes: 16 << 20) })
    #expect(try roomy.client().exchange("GET", Route.ready).status == 200)
  }

  private var emptyExchange: [UInt8] {
    SyncRequestWriter.body(deviceID: newID(), cursor: nil, mutations: [], notifications: [], limit: 500)
  }

  @Test func `is shown by a write at most once in five seconds, and once a second while it fails`() {
    let proof = StoreProof()
    let broken = StorageError(.readOnly, "read-only")
    var writes = 0
    for now in stride(from: Int64(0), to: 20_000, by: 100) { _ = proof.failure(at: now) { writes += 1 } }
    #expect(writes == 4)
    proof.forget()
    for now in stride(from: Int64(20_000), to: 23_000, by: 100) {
      let failure = proof.failure(at: now) {
        writes += 1
        throw broken
      }
      #expect(failure == broken)
    }
    #expect(writes == 7)
    var recoveries = 0
    for now in [23_000, 28_000] as [Int64] {
      #expect(proof.failure(at: now, write: {}, recovered: { recoveries += 1 }) == nil)
    }
    #expect(recoveries == 1, "it is told once that alerts can be stored again")
    proof.forget()
    #expect(proof.failure(at: 28_001) {} == nil)
  }
}
