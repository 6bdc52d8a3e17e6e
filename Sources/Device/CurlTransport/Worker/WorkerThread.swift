import Glibc
import LocalStore

/// Starts a detached thread for the worker.
enum WorkerThread {
  static func start(_ body: @escaping @Sendable () -> Void) throws(SyncWorkerError) {
    let error = DetachedThread.start(body)
    guard error == 0 else {
      throw SyncWorkerError(.system, "no thread can be started: \(String(cString: strerror(error)))")
    }
  }
}
