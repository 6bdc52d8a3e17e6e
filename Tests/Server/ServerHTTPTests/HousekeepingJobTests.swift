import ChildPrograms
import ServerStoreSQLite
import SystemKit
import TestSupport
import Testing

@testable import ServerCore
@testable import ServerHTTP

/// What the parts of a round do is made up; the store is a real one.
@Suite(.blocking) struct `A round of housekeeping` {
  private struct Failure: Error {}

  private final class Steps: Sendable {
    /// The names of the parts, in the order of their steps.
    let names = Lock<[String]>([])
  }

  private let folder: ScratchFolder
  private let store: SQLiteServerStore
  private let steps = Steps()

  init() throws {
    folder = ScratchFolder(in: ScratchFolder.onDisk)
    store = try SQLiteServerStore.open(path: folder.path + "/server.sqlite")
  }

  /// A part of so many steps, each of which removes a row.
  private func part(_ name: String, steps count: Int, fails: Bool = false) -> HousekeepingPart {
    let left = Lock(count)
    return HousekeepingPart { [steps] transaction in
      steps.names.withLock { $0.append(name) }
      try transaction.setServerState(name, to: [1])
      if fails { throw Failure() }
      var removed = RemovedRows()
      removed.expired = 1
      removed.hasMore = left.withLock { left in
        left -= 1
        return left > 0
      }
      return removed
    }
  }

  /// What one job reports, whose steps have a transaction each.
  private func goOn(_ parts: [HousekeepingPart]) throws -> OutboundInbox.Housekeeping {
    let inbox = try #require(OutboundInbox())
    var job = HousekeepingJob(parts, inbox)
    while try !store.write({ try job.run(in: $0) }) {}
    job.conclude()
    return try #require(inbox.take().housekeeping)
  }

  @Test func `does no part again that has nothing more to do, and each until it has`() throws {
    var parts = [part("a", steps: 2), part("b", steps: 3), part("c", steps: 1)]
    var removed: [Int] = []
    while !parts.isEmpty {
      let report = try goOn(parts)
      removed.append(report.removed.expired)
      parts = report.unfinished
    }
    #expect(steps.names.withLock { $0 } == ["a", "a", "b", "b", "b", "c"])
    #expect(removed == [1, 2, 1, 2], "what ends with a step is followed by the next part at once")
  }

  @Test func `goes on with the next part where one fails, whose writes are undone`() throws {
    let report = try goOn([part("a", steps: 1), part("b", steps: 3, fails: true), part("c", steps: 1)])
    #expect(steps.names.withLock { $0 } == ["a", "b", "c"])
    #expect(report.removed.expired == 2 && report.unfinished.isEmpty && report.failure != nil)
    let states = try store.read { transaction in try ["a", "b", "c"].map { try transaction.serverState($0) } }
    #expect(states == [[1], nil, [1]])
  }

  @Test func `ends where its transaction is lost`() throws {
    let inbox = try #require(OutboundInbox())
    var job = HousekeepingJob([part("a", steps: 2)], inbox)
    _ = try? store.write { transaction in
      _ = try job.run(in: transaction)
      throw Failure()
    }
    job.fail(Failure())
    job.conclude()
    let report = try #require(inbox.take().housekeeping)
    #expect(report.removed.expired == 0 && report.unfinished.isEmpty && report.failure != nil)
  }
}
