import CurlTransport
import Dispatch
import Synchronization

typealias WorkerResult = Result<SyncOutcome, SyncWorkerError>

/// How a worker's run ended, told from its thread.
final class WorkerEnd: Sendable {
  private let result = Mutex<WorkerResult?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  var isSet: Bool { result.withLock { $0 != nil } }

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
