import CurlTransport
import Dispatch
import SystemKit

typealias WorkerResult = Result<SyncOutcome, SyncWorkerError>

/// How a worker's run goes and ended, told from its thread.
final class WorkerEnd: Sendable {
  private let result = Lock<WorkerResult?>(nil)
  private let notices = Lock<[SyncWorkerNotice]>([])
  private let semaphore = DispatchSemaphore(value: 0)

  var isSet: Bool { result.withLock { $0 != nil } }

  /// Keeps what it told meanwhile for the thread that speaks to the person.
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

  /// The result, once the run has ended; nil where it does not end in time.
  func wait(milliseconds: Int) -> WorkerResult? {
    guard semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return nil }
    return result.withLock { $0 }
  }
}
