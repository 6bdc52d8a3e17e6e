import CurlTransport
import Dispatch
import SystemKit

typealias WorkerResult = Result<SyncOutcome, SyncWorkerError>

/// The notices and the result of a worker's run, passed from its thread.
final class WorkerEnd: Sendable {
  private let result = Lock<WorkerResult?>(nil)
  private let notices = Lock<[SyncWorkerNotice]>([])
  private let semaphore = DispatchSemaphore(value: 0)

  var isSet: Bool { result.withLock { $0 != nil } }

  /// Nil while it runs.
  var outcome: WorkerResult? { result.withLock { $0 } }

  /// Keeps a notice for the thread that writes to the person.
  func note(_ notice: SyncWorkerNotice) { notices.withLock { $0.append(notice) } }

  func takeNotices() -> [SyncWorkerNotice] {
    notices.withLock { notices in
      defer { notices = [] }
      return notices
    }
  }

  func set(_ value: WorkerResult) {
    result.withLock { $0 = value }
    semaphore.signal()
  }

  /// Waits for the result; nil if the run does not end in time.
  func wait(milliseconds: Int) -> WorkerResult? {
    guard semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return nil }
    return result.withLock { $0 }
  }
}
