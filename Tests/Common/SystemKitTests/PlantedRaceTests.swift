import Foundation
import Testing

@testable import SystemKit

/// Mistakes for the thread sanitizer to find. `tools/torture races` runs them with `LIFESIGNAL_PLANTED_RACES` in the
/// environment, and fails if the sanitizer does not report each. Otherwise a sanitizer that finds nothing would pass.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["LIFESIGNAL_PLANTED_RACES"] != nil,
    "only tools/torture asks for these mistakes"))
struct PlantedRaceTests {
  @Test func `two threads write one value without a lock`() throws {
    let value = Unguarded()
    let threads = try (0..<2).map { _ in
      try SystemThread { for _ in 0..<1000 { value.count += 1 } }
    }
    for thread in threads { thread.join() }
    #expect(value.count > 0)
  }

  @Test func `tasks write one value without a lock`() async {
    let value = Unguarded()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1000 {
            value.countOfTasks += 1
            // Otherwise one thread might run all tasks, one after the other.
            await Task.yield()
          }
        }
      }
    }
    #expect(value.countOfTasks > 0)
  }

  /// The threads run one after the other, so that they never deadlock.
  @Test func `two threads take two locks in opposite orders`() throws {
    let first = Boxed(), second = Boxed()
    try SystemThread { first.lock.withLock { _ in second.lock.withLock { $0 += 1 } } }.join()
    try SystemThread { second.lock.withLock { _ in first.lock.withLock { $0 += 1 } } }.join()
    #expect(first.lock.withLock { $0 } == 1)
  }
}

private final class Unguarded: @unchecked Sendable {
  // No lock guards these: that is the mistake.
  var count = 0
  var countOfTasks = 0
}

private final class Boxed: Sendable {
  let lock = Lock(0)
}
