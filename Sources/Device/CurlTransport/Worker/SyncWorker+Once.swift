import CurlKit
package import LocalStore
import SyncEngine

extension SyncWorker {
  /// Sends and fetches everything, at most until the deadline; blocks. `signals`, if given, end it early.
  ///
  /// With `isRenewed` the deadline counts from the last progress: a long exchange of a slow device is not cut off.
  ///
  /// If another process holds the lease, it is poked, and alerts that it does not get accepted in time are sent from here as
  /// well. A holder may therefore be poked just before it releases the lease, and must check for work once more.
  package static func runOnce(
    store: LocalStore, deadlineMilliseconds: Int64, isRenewed: Bool = false, options: SyncWorkerOptions = .live,
    signals: ProcessSignals? = nil
  ) throws(SyncWorkerError) -> SyncOutcome {
    var end = options.now().monotonicMilliseconds + deadlineMilliseconds
    let loop = try makeLoop(options)
    var total: SyncReport?
    while true {
      guard let lease = try acquireLease(store.home) else {
        store.home.poke()
        try sendAlerts(max(0, end - options.now().monotonicMilliseconds), store, loop, options, signals)
        return total.map { .done($0) } ?? .handedOver
      }
      // Watched from before the queue is read until after the lease is released.
      let home = try HomeObserver(store.home, options)
      let left = max(0, end - options.now().monotonicMilliseconds)
      let mode = SyncMode.once(deadlineMilliseconds: left, isRenewed: isRenewed)
      let report = try runHolding(lease, mode, store, loop, home, options, signals)
      if isRenewed, report.hasProgress { end = options.now().monotonicMilliseconds + deadlineMilliseconds }
      let sum = total.map { $0.followed(by: report) } ?? report
      guard options.now().monotonicMilliseconds < end, try home.isLeftWithWork else { return .done(sum) }
      total = sum
    }
  }

  /// Sends the alerts that the lease's holder does not get accepted.
  private static func sendAlerts(
    _ deadlineMilliseconds: Int64, _ store: LocalStore, _ loop: CurlLoop, _ options: SyncWorkerOptions,
    _ signals: ProcessSignals?
  ) throws(SyncWorkerError) {
    guard store.hasUnsentAlert else { return }
    _ = try SyncDriver(
      store: store,
      mode: .withoutLease(
        afterMilliseconds: leaseHolderTimeoutMilliseconds, deadlineMilliseconds: deadlineMilliseconds),
      lease: nil, configuration: try loadConfiguration(store.home), loop: loop,
      home: try HomeObserver(store.home, options), network: nil, control: WorkerControl(), signals: signals,
      options: options
    ).run()
  }

  private static func runHolding(
    _ lease: SenderLease, _ mode: SyncMode, _ store: LocalStore, _ loop: CurlLoop, _ home: HomeObserver,
    _ options: SyncWorkerOptions, _ signals: ProcessSignals?
  ) throws(SyncWorkerError) -> SyncReport {
    defer { lease.release() }
    let driver = try SyncDriver(
      store: store, mode: mode, lease: lease, configuration: try loadConfiguration(store.home), loop: loop, home: home,
      network: nil, control: WorkerControl(),
      signals: signals, options: options)
    return try driver.run()
  }
}

extension HomeObserver {
  /// Unknown, and so false, while the home is not watched: only the final check is lost.
  fileprivate var isLeftWithWork: Bool {
    get throws(SyncWorkerError) {
      guard isWatching else { return false }
      return try drain().contains(.work)
    }
  }
}

extension SyncReport {
  fileprivate var hasProgress: Bool { pushed + pulled > 0 }

  /// Combines two runs: sums their work, and keeps what the later one left.
  fileprivate func followed(by later: SyncReport) -> SyncReport {
    SyncReport(
      pushed: pushed + later.pushed, pulled: pulled + later.pulled, pending: later.pending, parked: later.parked,
      error: later.error)
  }
}
