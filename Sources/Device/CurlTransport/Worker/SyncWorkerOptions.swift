package import LocalStore
package import Model
package import SyncEngine

/// A worker's dependencies.
package struct SyncWorkerOptions: Sendable {
  package var now: @Sendable () -> Moment
  /// A fresh random number in `0..<1`.
  package var jitter: @Sendable () -> Double
  /// Called on the worker's thread for each event worth logging.
  package var notice: @Sendable (SyncWorkerNotice) -> Void
  /// Called on the worker's thread after each wait; an idle worker does not call it.
  package var didWake: @Sendable () -> Void
  /// The worker wakes at least so often, for a watchdog that has to hear of it; nil: only for its work.
  package var longestWaitMilliseconds: Int?
  /// Called on the worker's thread when the event stream opens or ends.
  package var streamTold: @Sendable (_ isOpen: Bool) -> Void = { _ in }
  /// Creates the watcher of the home's files; tests replace it with one that fails.
  var watchHome: @Sendable (HomeDirectory) throws(SyncWorkerError) -> HomeWatcher = {
    (home) throws(SyncWorkerError) in try HomeWatcher(home)
  }

  package init(
    now: @escaping @Sendable () -> Moment, jitter: @escaping @Sendable () -> Double,
    notice: @escaping @Sendable (SyncWorkerNotice) -> Void = { _ in }, didWake: @escaping @Sendable () -> Void = {}
  ) {
    self.now = now
    self.jitter = jitter
    self.notice = notice
    self.didWake = didWake
  }

  /// The system's clocks and random source.
  package static var live: SyncWorkerOptions {
    SyncWorkerOptions(now: { SystemClock.now() }, jitter: { .random(in: 0..<1) })
  }
}

/// A log event of a worker.
package enum SyncWorkerNotice: Sendable, Hashable {
  /// Another process is syncing; this one stands by to take over.
  case waitingForLease
  /// This process acquired the lease and syncs.
  case started
  /// The lease's holder did not get an alert accepted in time: this process sends it too.
  case sendingWithoutHolder
  /// The configuration was reread and applies now.
  case configurationRead
  /// The configuration cannot be read: the previous one stays in force.
  case configurationFailed(LocalStoreError)
  /// The store failed. Nothing is lost, and the worker retries by itself.
  case storeFailed(LocalStoreError)
  /// Network changes are not detected; everything else works.
  case networkNotWatched(SyncWorkerError)
  /// The home's files cannot be watched: the worker checks them every two seconds instead.
  case homeNotWatched(SyncWorkerError)

  /// Whether a worker works from now on: this one, or another process's in its place.
  package var isOfWork: Bool { self == .started || self == .waitingForLease }
}

/// Why a worker cannot run.
package struct SyncWorkerError: Error, Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    /// libcurl is not installed; the message says what to install.
    case transportUnavailable
    case store
    /// A system call failed.
    case system
  }

  package let code: Code
  /// One line for a person.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}

/// The outcome of one run.
package enum SyncOutcome: Sendable, Hashable {
  case done(SyncReport)
  /// Another process is syncing and was poked.
  case handedOver
}
