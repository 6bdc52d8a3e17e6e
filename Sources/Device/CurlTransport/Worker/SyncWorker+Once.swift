import CurlKit
package import LocalStore
import SyncEngine

extension SyncWorker {
  /// Sends and fetches what there is, at most until the deadline; blocks. `signals`, where given, end it early.
  ///
  /// Where another process has the lease, that one is told that there is work; alerts that it does not bring to acceptance in
  /// time are sent all the same, and then this one is done. So whoever lets the lease go looks once more whether it was told so
  /// in its last moment.
  package static func runOnce(
    store: LocalStore, deadlineMilliseconds: Int64, options: SyncWorkerOptions = .live, signals: ProcessSignals? = nil
  ) throws(SyncWorkerError) -> SyncOutcome {
    let end = options.now().monotonicMilliseconds + deadlineMilliseconds
    let loop = try makeLoop(options)
    var total: SyncReport?
    while true {
      guard let lease = try acquireLease(store.home) else {
        store.home.poke()
        try sendAlerts(max(0, end - options.now().monotonicMilliseconds), store, loop, options, signals)
        return total.map { .done($0) } ?? .handedOver
      }
      // Watched from before the queue is read until after the lease is gone.
      let home = try HomeObserver(store.home, options)
      let left = max(0, end - options.now().monotonicMilliseconds)
      let report = try runHolding(lease, left, store, loop, home, options, signals)
      let sum = total.map { $0.followed(by: report) } ?? report
      guard options.now().monotonicMilliseconds < end, try home.isLeftWithWork else { return .done(sum) }
      total = sum
    }
  }

  /// What the lease's holder does not bring to acceptance.
  private static func sendAlerts(
    _ deadlineMilliseconds: Int64, _ store: LocalStore, _ loop: CurlLoop, _ options: SyncWorkerOptions,
    _ signals: ProcessSignals?
  ) throws(SyncWorkerError) {
    guard store.hasUnsentAlert else { return }
    _ = try SyncDriver(
      store: store,
      mode: .withoutLease(
        afterMilliseconds: holdersTimeMilliseconds, deadlineMilliseconds: deadlineMilliseconds),
      lease: nil, configuration: try loadConfiguration(store.home), loop: loop,
      home: try HomeObserver(store.home, options), network: nil, control: WorkerControl(), signals: signals,
      options: options
    ).run()
  }

  private static func runHolding(
    _ lease: SenderLease, _ deadlineMilliseconds: Int64, _ store: LocalStore, _ loop: CurlLoop, _ home: HomeObserver,
    _ options: SyncWorkerOptions, _ signals: ProcessSignals?
  ) throws(SyncWorkerError) -> SyncReport {
    defer { lease.release() }
    let driver = try SyncDriver(
      store: store, mode: .once(deadlineMilliseconds: deadlineMilliseconds), lease: lease,
      configuration: try loadConfiguration(store.home), loop: loop, home: home, network: nil, control: WorkerControl(),
      signals: signals, options: options)
    return try driver.run()
  }
}

extension HomeObserver {
  /// Where the home is not watched nobody knows: only the last look is then missing.
  fileprivate var isLeftWithWork: Bool {
    get throws(SyncWorkerError) {
      guard isWatching else { return false }
      return try drain().contains(.work)
    }
  }
}

extension SyncReport {
  /// Both runs together: what the later one left is what is left.
  fileprivate func followed(by later: SyncReport) -> SyncReport {
    SyncReport(
      pushed: pushed + later.pushed, pulled: pulled + later.pulled, pending: later.pending, parked: later.parked,
      error: later.error)
  }
}
