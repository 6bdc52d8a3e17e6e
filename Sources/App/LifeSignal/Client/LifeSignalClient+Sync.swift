import CurlTransport
package import DeviceCore
import LocalStore
import SyncEngine

extension LifeSignalClient {
  /// Sends what is saved and fetches what is new, once, for at most `limitMilliseconds` in all. If a worker is running, in this
  /// process or another, it is woken and nil is returned; alerts that it does not get accepted within three seconds are sent from
  /// here first.
  ///
  /// An unreachable server is not an error: the result says so, and what is saved stays saved. Where the store cannot be opened, alerts
  /// outside of it are sent all the same, and it throws.
  public func sync(limitMilliseconds: Int64 = 30_000) async throws(LifeSignalError) -> SyncResult? {
    try await run(on: syncQueue) { [self] in
      do throws(SyncWorkerError) {
        let end = DeviceClock.monotonicMilliseconds() + limitMilliseconds
        let store = try workerStore(withinMilliseconds: limitMilliseconds)
        let fallback = sendUnsent(withinMilliseconds: limitMilliseconds)
        let left = max(0, end - DeviceClock.monotonicMilliseconds())
        let outcome = try SyncWorker.runOnce(store: store, deadlineMilliseconds: left)
        guard case .done(var report) = outcome else { return .success(nil) }
        report.pushed += fallback.sentCount
        report.pending += fallback.leftCount
        return .success(SyncResult(report))
      } catch {
        return .failure(LifeSignalError(error))
      }
    }
  }

  /// The background worker: sends and fetches whenever there is something to do, until the task is cancelled. It has a thread of its
  /// own. At rest it does not poll the server; while an alert is active it asks every 25 s, and without an event stream every 15 minutes.
  ///
  /// If another process has a worker, this one waits until that ends, and takes over. Meanwhile it sends alerts that the other one does
  /// not get accepted within three seconds. When this process has ended, nothing sends until a worker runs again.
  ///
  /// Failures that stop it are retried after a pause of one second at first and thirty at most: the store cannot be opened, libcurl
  /// is missing, the system has no thread left. `onProblem` is called with each such failure, from any thread, and with nil when
  /// the worker works again. An unreachable server is not one of them: `status()` reports it.
  ///
  /// ```swift
  /// let worker = Task {
  ///   await client.keepSyncing { problem in log(problem?.message ?? "sending again") }
  /// }
  /// ```
  public func keepSyncing(onProblem: @escaping @Sendable (LifeSignalError?) -> Void) async {
    await keepSyncing(onProblem: onProblem, onStream: { _ in })
  }

  /// - Parameter onStream: called on the worker's thread when the server's event stream opens or breaks. Not called while another
  ///   process has the worker.
  package func keepSyncing(
    onProblem: @escaping @Sendable (LifeSignalError?) -> Void, onStream: @escaping @Sendable (_ isOpen: Bool) -> Void
  ) async {
    // One for all runs: also while the store cannot be opened.
    let fallback = FallbackSender(home)
    defer { fallback.stop() }
    await WorkerSupervisor(
      clock: ContinuousClock(),
      work: { [self] began throws(LifeSignalError) in
        try await runWorker(beside: fallback, began: began, streamTold: onStream)
      },
      onProblem: onProblem
    ).run()
  }

  /// One run of the background worker, which `keepSyncing(onProblem:)` repeats; for tests. Ends with the first failure that stops the
  /// worker, and throws it.
  package func runWorker() async throws(LifeSignalError) {
    let fallback = FallbackSender(home)
    defer { fallback.stop() }
    try await runWorker(beside: fallback, began: {}, streamTold: { _ in })
  }

  /// - Parameter began: called on the worker's thread once it works, or another process's worker does in its place.
  private func runWorker(
    beside fallback: FallbackSender, began: @escaping @Sendable () -> Void,
    streamTold: @escaping @Sendable (Bool) -> Void
  ) async throws(LifeSignalError) {
    var options = SyncWorkerOptions.live
    options.streamTold = streamTold
    options.notice = { notice in
      fallback.note(notice)
      if notice.isOfWork { began() }
    }
    let worker = SyncWorker(store: try await store(beside: fallback), options: options)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in start(worker, continuation) }
    } onCancel: {
      worker.stop()
    }
    _ = try result.get()
  }

  /// Whether a worker is running, in this process or another, so that what is saved is sent without `sync()`. A worker that was
  /// stopped or frozen does not count; finding that out takes two seconds.
  public func isWorkerRunning() async throws(LifeSignalError) -> Bool {
    try await run(on: syncQueue) { [home] in
      Result { () throws(LocalStoreError) in try SenderHealth.examine(home) == .moving }.mapError {
        LifeSignalError($0)
      }
    }
  }

  /// Starts the process that goes on sending an alert when this process has ended, unless there is one. Blocks for the few milliseconds
  /// that starting a program takes.
  ///
  /// - Parameters:
  ///   - program: the path of the command line; nil if unknown.
  ///   - setting: of `LIFESIGNAL_BACKGROUND` in the environment.
  package func startBackgroundSender(program: String?, setting: String?) -> BackgroundSender.Start {
    BackgroundSender.start(home, program: program, setting: setting)
  }

  /// Whether that process stands by, or becomes ready within two seconds.
  package var isBackgroundSenderReady: Bool { BackgroundSender.isReady(home) }

  private func start(
    _ worker: SyncWorker, _ continuation: CheckedContinuation<Result<Void, LifeSignalError>, Never>
  ) {
    do throws(SyncWorkerError) {
      try worker.start { continuation.resume(returning: $0.map { _ in }.mapError { LifeSignalError($0) }) }
    } catch {
      continuation.resume(returning: .failure(LifeSignalError(error)))
    }
  }

  /// The store. Where it cannot be opened, what is outside of it is sent without it.
  private func store(beside fallback: FallbackSender) async throws(LifeSignalError) -> LocalStore {
    do throws(LifeSignalError) {
      return try await withStore { store in store }
    } catch {
      fallback.start()
      throw error
    }
  }

  /// The same, for `sync`.
  private func workerStore(withinMilliseconds milliseconds: Int64) throws(SyncWorkerError) -> LocalStore {
    do throws(LocalStoreError) {
      return try store()
    } catch {
      _ = sendUnsent(withinMilliseconds: milliseconds)
      throw SyncWorkerError(.store, error.message)
    }
  }
}
