import CurlKit
package import LocalStore
import Synchronization

/// Speaks to the server for one store: drives the sync engine with what libcurl, the home's files, the network and the
/// clock tell, and holds the sender's lease meanwhile.
///
/// It never polls: idle, its thread blocks in one system call. One worker runs once.
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

  /// Works until `stop`, or a signal to end; blocks the calling thread.
  ///
  /// Where another process has the lease, it waits, without polling, and takes over when that one ends; stopped before,
  /// the outcome is `handedOver`. Alerts that the other one does not bring to acceptance in time it sends meanwhile.
  package func run(signals: ProcessSignals? = nil) throws(SyncWorkerError) -> SyncOutcome {
    let loop = try makeLoop(options)
    control.attach(loop.waker)
    // From before the queue is looked into.
    let home = try HomeObserver(store.home, options)
    guard let lease = try waitForLease(loop, home, signals) else { return .handedOver }
    defer { lease.release() }
    let driver = try SyncDriver(
      store: store, mode: .continuous, lease: lease, configuration: try loadConfiguration(store.home), loop: loop,
      home: home, network: makeNetworkWatcher(options), control: control, signals: signals, options: options)
    options.notice(.started)
    return .done(try driver.run())
  }

  /// `run` on a thread of its own, for a client app. `ended` is called there at the end.
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

  /// Ends the run within a second; from any thread, also before it began.
  package func stop() { control.requestStop() }

  /// Has the configuration read again; from any thread.
  package func reload() { control.requestReload() }

  /// nil: stopped before it was free.
  private func waitForLease(
    _ loop: CurlLoop, _ home: HomeObserver, _ signals: ProcessSignals?
  ) throws(SyncWorkerError) -> SenderLease? {
    if let lease = try acquireLease(store.home) { return lease }
    options.notice(.waitingForLease)
    store.home.poke()
    // The poke of its own, and whatever came before the queue is looked into.
    _ = try home.drain()
    let waiter = try LeaseWaiter(store.home, waking: loop.waker)
    defer { waiter.giveUp() }
    while !control.isStopRequested {
      if let lease = try orStoreError({ () throws(LocalStoreError) in try waiter.take() }) { return lease }
      if store.hasUnsentAlert, try sendsAlerts(waiter, loop, home, signals) == .told { return nil }
      guard !control.isStopRequested, !waiter.isSettled else { continue }
      do throws(CurlError) {
        _ = try loop.poll(watching: [home.number, signals?.number].compactMap(\.self))
      } catch {
        throw SyncWorkerError(.system, error.message)
      }
      options.didWake()
      // What is queued is looked at anyway, and the configuration is read when a run begins.
      _ = try home.drain()
      if signals?.take().contains(.end) == true { return nil }
    }
    return nil
  }

  private enum End { case told, nothingToSend }

  /// Sends what alerts the lease's holder does not bring to acceptance, until none is left, the lease is there, or the run is to
  /// end.
  private func sendsAlerts(
    _ waiter: LeaseWaiter, _ loop: CurlLoop, _ home: HomeObserver, _ signals: ProcessSignals?
  ) throws(SyncWorkerError) -> End {
    let driver = try SyncDriver(
      store: store, mode: .withoutLease(afterMilliseconds: Self.holdersTimeMilliseconds, deadlineMilliseconds: nil),
      lease: nil, isLeaseThere: { waiter.isSettled }, configuration: try loadConfiguration(store.home), loop: loop,
      home: home, network: makeNetworkWatcher(options), control: control, signals: signals, options: options)
    _ = try driver.run()
    return driver.isToldToEnd ? .told : .nothingToSend
  }

  /// How long whoever holds the lease has to bring an alert to acceptance, until others send it too.
  static let holdersTimeMilliseconds: Int64 = 3000
}

extension LocalStore {
  /// Best effort: a store that cannot be read is looked at when it changes next.
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

/// Without one a worker still has its due times; a sandbox may forbid netlink.
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
