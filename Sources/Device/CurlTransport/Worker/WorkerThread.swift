import Glibc
import LocalStore

/// A thread of the worker, which nobody joins.
enum WorkerThread {
  static func start(_ body: @escaping @Sendable () -> Void) throws(SyncWorkerError) {
    let error = DetachedThread.start(body)
    guard error == 0 else {
      throw SyncWorkerError(.system, "no thread can be started: \(String(cString: strerror(error)))")
    }
  }
}
