package import LocalStore
package import SyncEngine

/// Speaks to the server for one store: drives the sync engine with what libcurl, the home's files, the network and the
/// clock tell, and holds the sender's lease meanwhile.
///
/// It never polls: idle, its thread blocks in one system call. One worker runs once.
///
/// ```swift
/// let signals = try ProcessSignals()          // in an executable, before any other thread
/// let report = try SyncWorker(store: store).run(signals: signals)
/// ```
package final class SyncWorker: Sendable {
  package init(store: LocalStore, options: SyncWorkerOptions = .live) { fatalError("not yet") }

  /// Works until `stop`, or a signal to end; blocks the calling thread. Where another process has the lease it waits for it.
  package func run(signals: ProcessSignals? = nil) throws(SyncWorkerError) -> SyncReport { fatalError("not yet") }

  /// `run` on a thread of its own, for a client app. `ended` is called there at the end.
  package func start(ended: @escaping @Sendable (Result<SyncReport, SyncWorkerError>) -> Void) throws(SyncWorkerError) {
    fatalError("not yet")
  }

  /// Ends the run within a second; from any thread, also before it began.
  package func stop() { fatalError("not yet") }

  /// Has the configuration read again; from any thread.
  package func reload() { fatalError("not yet") }

  /// Sends and fetches what there is, at most until the deadline; blocks. Where another process has the lease, that one
  /// is told. `signals`, where given, end it early.
  package static func runOnce(
    store: LocalStore, deadlineMilliseconds: Int64, options: SyncWorkerOptions = .live, signals: ProcessSignals? = nil
  ) throws(SyncWorkerError) -> SyncOutcome { fatalError("not yet") }
}
