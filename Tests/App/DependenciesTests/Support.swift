import Dependencies
import Synchronization

/// Collects the issues reported by `operation`, and by the tasks that it makes.
func issues(during operation: () throws -> Void) rethrows -> [ReportedIssue] {
  let list = IssueList()
  try IssueReporting.withReporter({ list.add($0) }, operation: operation)
  return list.issues
}

/// Collects the issues reported by the asynchronous `operation`, and by the tasks that it makes.
func issues(
  isolation: isolated (any Actor)? = #isolation, during operation: () async throws -> Void
) async rethrows -> [ReportedIssue] {
  let list = IssueList()
  try await IssueReporting.withReporter({ list.add($0) }, operation: operation)
  return list.issues
}

private final class IssueList: Sendable {
  private let list = Mutex<[ReportedIssue]>([])

  var issues: [ReportedIssue] { list.withLock { $0 } }

  func add(_ issue: ReportedIssue) {
    list.withLock { $0.append(issue) }
  }
}

/// A task on `scheduler`, like a store's task for an effect.
func effect<Value: Sendable>(
  on scheduler: EffectScheduler, _ operation: @escaping @Sendable () async throws -> Value
) -> Task<Value, any Error> {
  EffectScheduler.$current.withValue(scheduler) {
    Task(executorPreference: scheduler, operation: operation)
  }
}

/// The events, in order.
final class Log<Entry: Sendable>: Sendable {
  private let list = Mutex<[Entry]>([])

  var entries: [Entry] { list.withLock { $0 } }

  func add(_ entry: Entry) {
    list.withLock { $0.append(entry) }
  }
}
