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
  /// the outcome is `handedOver`.
  package func run(signals: ProcessSignals? = nil) throws(SyncWorkerError) -> SyncOutcome {
    let loop = try makeLoop(options)
    control.attach(loop.waker)
    guard let lease = try waitForLease(loop, signals) else { return .handedOver }
    defer { lease.release() }
    let driver = try SyncDriver(
      store: store, mode: .continuous, configuration: try loadConfiguration(store.home), loop: loop,
      home: try HomeObserver(store.home, options), network: makeNetworkWatcher(options), control: control,
      signals: signals,
      options: options)
    options.notice(.started)
    return .done(try driver.run())
  }

  /// `run` on a thread of its own, for a client app. `ended` is called there at the end.
  package func start(ended: @escaping @Sendable (Result<SyncOutcome, SyncWorkerError>) -> Void) throws(SyncWorkerError)
  {
    try DetachedThread.start { [self] in
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
  private func waitForLease(_ loop: CurlLoop, _ signals: ProcessSignals?) throws(SyncWorkerError) -> SenderLease? {
    if let lease = try acquireLease(store.home) { return lease }
    options.notice(.waitingForLease)
    store.home.poke()
    let waiter = try LeaseWaiter(store.home, waking: loop.waker)
    while !control.isStopRequested {
      if let lease = try orStoreError({ () throws(LocalStoreError) in try waiter.take() }) { return lease }
      do throws(CurlError) {
        _ = try loop.poll(watching: [signals?.number].compactMap(\.self))
      } catch {
        throw SyncWorkerError(.system, error.message)
      }
      options.didWake()
      // The configuration is read when the run begins: a signal to reload needs nothing more.
      if signals?.take().contains(.end) == true { break }
    }
    waiter.giveUp()
    return nil
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
