package import LocalStore
package import Model
package import SyncEngine

/// What a worker takes from outside.
package struct SyncWorkerOptions: Sendable {
  package var now: @Sendable () -> Moment
  /// A fresh random number in `0..<1`.
  package var jitter: @Sendable () -> Double
  /// Told what happens, on the worker's thread, for a log.
  package var notice: @Sendable (SyncWorkerNotice) -> Void
  /// Told each time that the worker's wait ended, on its thread: an idle worker's is silent.
  package var didWake: @Sendable () -> Void
  /// Told on its thread that the event stream was opened, or ended.
  package var streamTold: @Sendable (_ isOpen: Bool) -> Void = { _ in }
  /// Makes the watcher of the home's files; a test's has none to give.
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

/// What a worker tells beside its result.
package enum SyncWorkerNotice: Sendable, Hashable {
  /// Another process speaks to the server; this one takes over when that ends.
  case waitingForLease
  /// The lease is held: this process speaks to the server.
  case started
  /// The lease's holder has not brought an alert to acceptance in time: this process sends it too.
  case sendingWithoutHolder
  /// The configuration was read again, and is in force.
  case configurationRead
  /// It cannot be read: the one before stays in force.
  case configurationFailed(LocalStoreError)
  /// Nothing is lost by it, and the worker tries again by itself.
  case storeFailed(LocalStoreError)
  /// Changes of the network go unseen; due times and everything else work.
  case networkNotWatched(SyncWorkerError)
  /// The files of the home cannot be watched now: a worker looks at them every two seconds instead.
  case homeNotWatched(SyncWorkerError)
}

/// Why a worker cannot work at all.
package struct SyncWorkerError: Error, Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    /// libcurl is not on this machine: the message says what to install.
    case transportUnavailable
    case store
    /// The operating system refused something.
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

/// What became of one run.
package enum SyncOutcome: Sendable, Hashable {
  case done(SyncReport)
  /// Another process speaks to the server, and was told that there is work.
  case handedOver
}
