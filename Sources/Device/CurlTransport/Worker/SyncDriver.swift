import CurlKit
import LocalStore
import SyncEngine

/// Runs the sync engine once, from start to end: waits for events, passes them to the engine and executes its commands.
/// Owned by one thread, which holds the sender's lease, or sends alerts while another process holds it.
final class SyncDriver {
  private let options: SyncWorkerOptions
  private let store: LocalStore
  private let coordinator: SyncCoordinator
  private let loop: CurlLoop
  private let transport: Transport
  private let control: WorkerControl
  private let signals: ProcessSignals?
  private let home: HomeObserver
  /// Stamped by this thread before each wait, as a sign of life; nil if another process holds it.
  private let lease: SenderLease?
  /// Whether the other process has released the lease, which ends this run.
  private let isLeaseFree: () -> Bool
  private let network: NetworkWatcher?
  private let timer: WakeTimer
  private var routes = RouteWatch()

  private var waiting: [SyncEvent] = []
  private var report: SyncReport?
  private var hasSentWithoutHolder = false
  private var wasStreamOpen = false
  /// Whether a signal or another thread asked the run to end.
  private(set) var isStopRequested = false
  /// The store's last error; the engine only knows that it failed.
  private var storeError: LocalStoreError?

  init(
    store: LocalStore, mode: SyncMode, lease: SenderLease?, isLeaseFree: @escaping () -> Bool = { false },
    configuration: Configuration, loop: CurlLoop, home: HomeObserver, network: NetworkWatcher?, control: WorkerControl,
    signals: ProcessSignals?, options: SyncWorkerOptions
  ) throws(SyncWorkerError) {
    self.options = options
    self.store = store
    self.lease = lease
    self.isLeaseFree = isLeaseFree
    self.loop = loop
    self.home = home
    self.network = network
    self.control = control
    self.signals = signals
    coordinator = SyncCoordinator(store: store, configuration: configuration.sync, mode: mode)
    transport = Transport(loop: loop, certificateAuthorityFile: configuration.certificateAuthorityFile)
    timer = try WakeTimer()
  }

  func run() throws(SyncWorkerError) -> SyncReport {
    defer { transport.cancelAll() }
    try handle(.start)
    // Requests that arrived before the loop could be woken.
    try takeRequests()
    while report == nil {
      lease?.stamp(atMonotonicMilliseconds: options.now().monotonicMilliseconds)
      let result: CurlLoop.PollResult
      routes.note(loop.recentPeers)
      do throws(CurlError) {
        result = try loop.poll(timeoutMilliseconds: options.longestWaitMilliseconds, watching: descriptors)
      } catch {
        throw SyncWorkerError(.system, error.message)
      }
      options.didWake()
      try takeRequests()
      for event in result.events {
        for translated in transport.translate(event) { try handle(translated) }
      }
      for descriptor in result.readable { try takeReadable(descriptor) }
    }
    return report ?? SyncReport()
  }

  private var descriptors: [Int32] {
    [timer.number, home.number] + [network?.number, signals?.number].compactMap(\.self)
  }

  /// Handles requests from other threads.
  private func takeRequests() throws(SyncWorkerError) {
    if control.isStopRequested { try end() }
    if isLeaseFree() { try handle(.stop) }
    if control.takeReloadRequest() { try reload() }
  }

  private func takeReadable(_ descriptor: Int32) throws(SyncWorkerError) {
    switch descriptor {
    case timer.number:
      timer.drain()
      if let time = lastHeardMilliseconds { try handle(.progress(atMonotonicMilliseconds: time)) }
      try handle(.timer)
    case home.number: try takeHomeChanges()
    case network?.number:
      guard network?.drain() == true, routes.isChange(for: loop.recentPeers) else { return }
      if let time = lastHeardMilliseconds { try handle(.progress(atMonotonicMilliseconds: time)) }
      loop.dropIdleConnections()
      try handle(.networkChanged)
    default: try takeSignals()
    }
  }

  /// When the server was last heard on a connection of the emergency in flight.
  private var lastHeardMilliseconds: Int64? {
    let silence = coordinator.emergencyAttempts.compactMap { transport.millisecondsSinceHeard(of: $0) }.min()
    return silence.map { options.now().monotonicMilliseconds - $0 }
  }

  private func takeHomeChanges() throws(SyncWorkerError) {
    let isLook = !home.isWatching
    let changes = try home.drain()
    if changes.contains(.configuration) { try reload() }
    if changes.contains(.write) { try handle(.storeWritten) }
    if changes.contains(.work) {
      try handle(.localWork)
    } else if isLook {
      // Sends what is due, without asking the server for news each time.
      try handle(.timer)
    }
  }

  private func takeSignals() throws(SyncWorkerError) {
    for signal in signals?.take() ?? [] {
      switch signal {
      case .end: try end()
      case .reload: try reload()
      }
    }
  }

  private func end() throws(SyncWorkerError) {
    isStopRequested = true
    try handle(.stop)
  }

  private func reload() throws(SyncWorkerError) {
    let configuration: Configuration
    do throws(LocalStoreError) {
      configuration = try Configuration.load(store.home)
    } catch {
      return options.notice(.configurationFailed(error))
    }
    transport.certificateAuthorityFile = configuration.certificateAuthorityFile
    options.notice(.configurationRead)
    try handle(.configurationChanged(configuration.sync))
  }

  /// Passes an event to the engine, and then the immediate results of its commands. Never reenters the engine.
  private func handle(_ event: SyncEvent) throws(SyncWorkerError) {
    waiting.append(event)
    while !waiting.isEmpty, report == nil {
      let next = waiting.removeFirst()
      for command in coordinator.handle(next, at: options.now(), jitter: options.jitter()) { try perform(command) }
    }
    noteStream()
  }

  private func noteStream() {
    guard coordinator.isStreamOpen != wasStreamOpen else { return }
    wasStreamOpen.toggle()
    options.streamTold(wasStreamOpen)
  }

  private func flush(_ id: RequestID) throws(SyncWorkerError) {
    do throws(CurlError) {
      try transport.flush(id)
    } catch {
      throw SyncWorkerError(.system, error.message)
    }
  }

  private func perform(_ command: SyncCommand) throws(SyncWorkerError) {
    switch command {
    case .send(let request):
      if lease == nil, !hasSentWithoutHolder {
        hasSentWithoutHolder = true
        options.notice(.sendingWithoutHolder)
      }
      if let failure = transport.send(request) {
        waiting.append(failure)
      } else if request.isFlushed {
        try flush(request.id)
      }
    case .cancel(let id): transport.cancel(id)
    case .wake(let due):
      let now = options.now().monotonicMilliseconds
      try timer.set(millisecondsFromNow: due.map { $0.subtractingReportingOverflow(now).partialValue })
    case .finish(var report):
      if let storeError, report.error?.kind == .store { report.error = SyncFailure(.store, storeError.message) }
      self.report = report
    case .storeFailed(let error):
      storeError = error
      options.notice(.storeFailed(error))
    }
  }
}

extension Configuration {
  var sync: SyncConfiguration { SyncConfiguration(endpoint: endpoint, secondEndpoint: secondEndpoint) }
}
