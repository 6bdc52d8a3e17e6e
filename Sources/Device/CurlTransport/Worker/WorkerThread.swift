import SystemKit

/// Starts a detached thread for the worker.
enum WorkerThread {
  static func start(_ body: @escaping @Sendable () -> Void) throws(SyncWorkerError) {
    do throws(SystemError) {
      try SystemThread.detach(body)
    } catch {
      throw SyncWorkerError(.system, "no thread can be started: \(error.reason)")
    }
  }
}
