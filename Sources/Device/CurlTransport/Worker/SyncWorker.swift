import CurlKit
package import LocalStore

/// The background worker of one store: drives the sync engine with events of libcurl, the home's files, the network and the
/// clock, and holds the sender's lease.
///
/// It never polls: when idle, its thread blocks in one system call. A worker can run only once.
///
/// ```swift
/// let signals = try ProcessSignals()          // in an executable, before any other thread
/// let outcome = try SyncWorker(store: store).run(signals: signals)
/// ```
package final class SyncWorker: Sendable {
  private let store: LocalStore
  private let options: SyncWorkerOptions
  private let control = WorkerControl()

  package init(store: LocalStore, options: SyncWorkerOptions = .live) {
    self.store = store
    self.options = options
  }

  /// Runs until `stop` or a signal; blocks the calling thread.
  ///
  /// If another process holds the lease, it waits without polling and takes over when that one ends; stopped before that, the
  /// outcome is `handedOver`. Meanwhile it sends alerts that the holder does not get accepted in time.
  package func run(signals: ProcessSignals? = nil) throws(SyncWorkerError) -> SyncOutcome {
    let loop = try makeLoop(options)
    control.attach(loop.waker)
    // Watched from before the queue is read.
    let home = try HomeObserver(store.home, options)
    guard let lease = try waitForLease(loop, home, signals) else { return .handedOver }
    defer { lease.release() }
    let driver = try SyncDriver(
      store: store, mode: .continuous, lease: lease, configuration: try loadConfiguration(store.home), loop: loop,
      home: home, network: makeNetworkWatcher(options), control: control, signals: signals, options: options)
    options.notice(.started)
    return .done(try driver.run())
  }

  /// Calls `run` on a new thread, for a client app. `ended` is called on that thread.
  package func start(ended: @escaping @Sendable (Result<SyncOutcome, SyncWorkerError>) -> Void) throws(SyncWorkerError)
  {
    try WorkerThread.start { [self] in
      do throws(SyncWorkerError) {
        ended(.success(try run()))
      } catch {
        ended(.failure(error))
      }
    }
  }

  /// Ends the run within a second. Safe from any thread, also before the run starts.
  package func stop() { control.requestStop() }

  /// Rereads the configuration. Safe from any thread.
  package func reload() { control.requestReload() }

  /// Nil if stopped before the lease was free.
  private func waitForLease(
    _ loop: CurlLoop, _ home: HomeObserver, _ signals: ProcessSignals?
  ) throws(SyncWorkerError) -> SenderLease? {
    if let lease = try acquireLease(store.home) { return lease }
    options.notice(.waitingForLease)
    store.home.poke()
    // Drops its own poke, and every event before the queue is read.
    _ = try home.drain()
    let waiter = try LeaseWaiter(store.home, waking: loop.waker)
    defer { waiter.giveUp() }
    while !control.isStopRequested {
      if let lease = try orStoreError({ () throws(LocalStoreError) in try waiter.take() }) { return lease }
      if store.hasUnsentAlert, try sendsAlerts(waiter, loop, home, signals) == .told { return nil }
      guard !control.isStopRequested, !waiter.isSettled else { continue }
      do throws(CurlError) {
        let descriptors = [home.number, signals?.number].compactMap(\.self)
        _ = try loop.poll(timeoutMilliseconds: options.longestWaitMilliseconds, watching: descriptors)
      } catch {
        throw SyncWorkerError(.system, error.message)
      }
      options.didWake()
      // A run reads the queue and the configuration at its start anyway.
      _ = try home.drain()
      if signals?.take().contains(.end) == true { return nil }
    }
    return nil
  }

  private enum End { case told, nothingToSend }

  /// Sends alerts that the lease's holder does not get accepted, until none is left, the lease is free, or the run must end.
  private func sendsAlerts(
    _ waiter: LeaseWaiter, _ loop: CurlLoop, _ home: HomeObserver, _ signals: ProcessSignals?
  ) throws(SyncWorkerError) -> End {
    let driver = try SyncDriver(
      store: store,
      mode: .withoutLease(afterMilliseconds: Self.leaseHolderTimeoutMilliseconds, deadlineMilliseconds: nil),
      lease: nil, isLeaseFree: { waiter.isSettled }, configuration: try loadConfiguration(store.home), loop: loop,
      home: home, network: makeNetworkWatcher(options), control: control, signals: signals, options: options)
    _ = try driver.run()
    return driver.isStopRequested ? .told : .nothingToSend
  }

  /// How long the lease's holder has to get an alert accepted before other processes send it too.
  static let leaseHolderTimeoutMilliseconds: Int64 = 3000
}

extension LocalStore {
  /// Best effort: a store that cannot be read is checked when it changes next.
  var hasUnsentAlert: Bool {
    ((try? syncState())?.emergency.count ?? 0) > 0
  }
}

func makeLoop(_ options: SyncWorkerOptions) throws(SyncWorkerError) -> CurlLoop {
  do throws(CurlError) {
    var settings = CurlLoop.Options(monotonicMilliseconds: { options.now().monotonicMilliseconds })
    settings.isForSlowPaths = true
    return try CurlLoop(options: settings)
  } catch {
    throw SyncWorkerError(.transportUnavailable, error.message)
  }
}

func loadConfiguration(_ home: HomeDirectory) throws(SyncWorkerError) -> Configuration {
  try orStoreError { () throws(LocalStoreError) in try Configuration.load(home) }
}

func acquireLease(_ home: HomeDirectory) throws(SyncWorkerError) -> SenderLease? {
  try orStoreError { () throws(LocalStoreError) in try SenderLease.acquire(home) }
}

/// Nil if netlink is not available, as in a sandbox: the worker then relies on its due times.
func makeNetworkWatcher(_ options: SyncWorkerOptions) -> NetworkWatcher? {
  do throws(SyncWorkerError) {
    return try NetworkWatcher()
  } catch {
    options.notice(.networkNotWatched(error))
    return nil
  }
}

func orStoreError<Value>(_ body: () throws(LocalStoreError) -> Value) throws(SyncWorkerError) -> Value {
  do throws(LocalStoreError) {
    return try body()
  } catch {
    throw SyncWorkerError(.store, error.message)
  }
}
