import ChildPrograms
import CurlKit
import Glibc
import Model
import ServerCore
import ServerStoreSQLite
import SystemKit
import TestSupport
import Testing

@testable import CurlKit
@testable import ServerHTTP

/// The thread that starts messages waits for no write of the store: a first message may come meanwhile.
@Suite(.blocking) struct `Housekeeping` {
  private final class Threads: Sendable {
    /// The thread that polls the transport.
    let polling = Lock<UInt>(0)
    let writing = Lock<[UInt]>([])
    let lines = Lock<[String]>([])

    static var current: UInt { UInt(pthread_self()) }
  }

  private final class IdleTransport: OutboundTransport {
    private let loop: CurlLoop
    private let threads: Threads

    init(_ threads: Threads) throws(CurlError) {
      loop = try CurlLoop()
      self.threads = threads
    }

    func start(_ request: CurlRequest) throws(CurlError) -> CurlRequestID { try loop.start(request) }
    func cancel(_ id: CurlRequestID) { loop.cancel(id) }

    func poll(timeoutMilliseconds: Int?, watching descriptors: [Int32]) throws(CurlError) -> CurlLoop.PollResult {
      threads.polling.withLock { $0 = Threads.current }
      return try loop.poll(timeoutMilliseconds: timeoutMilliseconds, watching: descriptors)
    }
  }

  private struct WatchedStore: ServerStore {
    let store: any ServerStore
    let threads: Threads
    var freeBytes: UInt64? { nil }

    func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result { try store.read(body) }

    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
      threads.writing.withLock { $0.append(Threads.current) }
      return try store.write(body)
    }
  }

  @Test(.timeLimit(.minutes(5))) func `removes what has expired on the thread of the requests that write`() throws {
    let folder = ScratchFolder(in: ScratchFolder.onDisk)
    let old = try LiveServer(folder: folder)
    _ = try old.signIn()
    old.stop()
    let threads = Threads()
    let log = ServerLog(.plain, upTo: .info, now: { Timestamp(milliseconds: 0) }) { line in
      threads.lines.withLock { $0.append(line) }
    }
    let server = try LiveServer(
      folder: folder, log: log, makeTransport: { () throws(CurlError) in try IdleTransport(threads) },
      wrap: { WatchedStore(store: $0, threads: threads) }, clockOffsetSeconds: 7200)
    while !threads.lines.withLock({ $0.contains { $0.contains("rows that had expired") } }) { sched_yield() }
    let polling = threads.polling.withLock { $0 }
    #expect(threads.writing.withLock { $0.filter { $0 == polling }.count } == 1, "it takes over once")
    server.stop()
  }
}
