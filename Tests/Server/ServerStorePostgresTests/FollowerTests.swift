import ChildPrograms
import Dispatch
import Model
import PostgresKit
import ServerCore
import SystemKit
import Testing

@testable import ServerStorePostgres
@testable import StoreContract

/// What a process hears of the changes of others.
@Suite(.blocking, .timeLimit(.minutes(5)))
struct FollowerTests {
  private let subject: PostgresSubject
  private let bench: Bench
  private let (store, other): (PostgresServerStore, PostgresServerStore)
  private let heard = Heard()

  /// The accounts that the follower of `store` was told.
  private final class Heard: Sendable {
    private let accounts = Lock<[AccountID]>([])
    private let more = DispatchSemaphore(value: 0)

    func take(_ changes: OthersChanges) {
      accounts.withLock { $0 += changes.accounts }
      more.signal()
    }

    /// Waits until the account was told, and returns all that were until then.
    func all(until account: AccountID) throws -> Set<AccountID> {
      while true {
        let all = Set(accounts.withLock { $0 })
        if all.contains(account) { return all }
        try #require(more.wait(timeout: .now() + 30) == .success, "the account was not told")
      }
    }
  }

  init() throws {
    subject = try PostgresSubject()
    bench = Bench(subject)
    let settings = PostgresSubject.settings(subject.database.url)
    store = try PostgresServerStore.open(settings)
    other = try PostgresServerStore.open(settings)
    try bench.addAccounts()
  }

  private func change(_ sequence: Int64, of account: AccountID, by store: PostgresServerStore) throws {
    try store.write {
      var set = WriteSet(account: account)
      set.changes = [
        LoggedChange(
          sequence: sequence, tag: UInt64(sequence), entity: EntityKey(.contact, bench.identifier(Int(sequence))))
      ]
      set.position = LogPosition(newestSequence: sequence)
      try $0.apply(set)
    }
  }

  @Test func `hears of what others change, and not of its own`() throws {
    let follower = try #require(try store.follow(heard.take))
    defer { follower.stop() }
    try change(1, of: bench.account, by: store)
    try change(1, of: bench.other, by: other)
    #expect(try heard.all(until: bench.other) == [bench.other])
  }

  /// Its devices may have been told of its own change before the other one was committed.
  @Test func `hears of an account that both have changed`() throws {
    let follower = try #require(try store.follow(heard.take))
    defer { follower.stop() }
    try change(1, of: bench.account, by: other)
    try change(1, of: bench.account, by: store)
    #expect(try heard.all(until: bench.account) == [bench.account])
  }

  @Test func `hears of a change without an entry in the log`() throws {
    let follower = try #require(try store.follow(heard.take))
    defer { follower.stop() }
    try other.write {
      var set = WriteSet(account: bench.account)
      set.newDeliveries = [try bench.delivery(11, about: 5, to: 7)]
      try $0.apply(set)
    }
    #expect(try heard.all(until: bench.account) == [bench.account])
  }

  @Test func `looks where the database has no notifications`() throws {
    let settings = PostgresSubject.settings(subject.database.url)
    let process = ProcessID(words: (1, 2))
    let follower = try PostgresFollower(settings, process, listen: "LISTEN_TO lifesignal", heard.take)
    defer { follower.stop() }
    follower.tellOthers()
    try change(1, of: bench.account, by: other)
    _ = try heard.all(until: bench.account)
    try change(1, of: bench.other, by: other)
    #expect(try heard.all(until: bench.other).contains(bench.other))
  }

  @Test func `connects anew where its connection was ended`() throws {
    let follower = try #require(try store.follow(heard.take))
    defer { follower.stop() }
    try change(1, of: bench.account, by: other)
    _ = try heard.all(until: bench.account)
    try subject.database.connection().execute(
      script: """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%FROM writer%' AND state = 'idle' AND pid <> pg_backend_pid()
        """)
    try change(1, of: bench.other, by: other)
    #expect(try heard.all(until: bench.other).contains(bench.other))
  }
}
