import ChildPrograms
import PostgresKit
import PostgresTesting
import ServerCore
import SystemKit
import Testing

@testable import ServerStorePostgres

/// A database that does not answer.
@Suite(.blocking, .timeLimit(.minutes(10)))
struct UnreachableDatabaseTests {
  private let subject: PostgresSubject
  private let door: DatabaseDoor
  private let clock = TestClock()
  private let store: PostgresServerStore

  init() throws {
    subject = try PostgresSubject()
    door = try DatabaseDoor(to: subject.database.server)
    var settings = PostgresSubject.settings(door.url(subject.database.name))
    settings.connectSeconds = 2
    store = try PostgresServerStore.open(settings, clock: clock.read)
  }

  private func write() throws { try store.write { try $0.setServerState("a", to: [1]) } }

  @Test func `who waits behind a try that fails does not wait for one of their own`() throws {
    try write()
    try door.shut()
    try subject.database.server.administer(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(subject.database.name)'")
    let start = ContinuousClock.now
    let threads = try (0..<8).map { _ in
      try SystemThread {
        let error = #expect(throws: StorageError.self) { try write() }
        #expect(error?.code == .unreachable)
      }
    }
    for thread in threads { thread.join() }
    // One try takes two seconds; eight, one after the other, would take sixteen.
    #expect(ContinuousClock.now - start < .seconds(8))

    try door.open()
    #expect(throws: StorageError.self) { try write() }
    clock.advance(milliseconds: Reachability.pauseMilliseconds)
    try write()
  }
}

@Suite(.blocking) struct ReachabilityTests {
  private let reachability = Reachability()
  private let failure = PostgresError(.connectionLost, "gone")

  private func attempt(at now: Int64, _ body: () throws(PostgresError) -> Void) -> PostgresError? {
    do throws(PostgresError) {
      try reachability.attempt({ now }, body)
      return nil
    } catch {
      return error
    }
  }

  @Test func `after a failure one caller at a time tries`() {
    #expect(attempt(at: 0) { () throws(PostgresError) in throw failure } == failure)
    #expect(attempt(at: 499) { Issue.record("too early") } == failure)
    var inner: PostgresError?
    let outer = attempt(at: 500) { () throws(PostgresError) in
      inner = attempt(at: 500) { Issue.record("another one is trying") }
      throw PostgresError(.refused, "no")
    }
    #expect(inner == failure)
    #expect(outer?.kind == .refused)
    #expect(attempt(at: 999) { Issue.record("too early") } == outer)
    #expect(attempt(at: 1000) {} == nil)
    // A try that began before another one succeeded says nothing of the present.
    let late = attempt(at: 1000) { () throws(PostgresError) in
      #expect(attempt(at: 1000) {} == nil)
      throw failure
    }
    #expect(late == failure)
    // Nothing stands in the way now.
    inner = failure
    let second = attempt(at: 1000) { () throws(PostgresError) in inner = attempt(at: 1000) {} }
    #expect(second == nil && inner == nil)
  }
}
