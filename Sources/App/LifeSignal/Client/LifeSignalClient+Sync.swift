import CurlTransport
import DeviceCore
import LocalStore
import SyncEngine

extension LifeSignalClient {
  /// Sends what is saved and fetches what is new, once, for at most `limitMilliseconds`. Where a worker is running, in this
  /// process or another, that one is told and nil returned; alerts that it has not brought to the server after three seconds,
  /// as one that stands still does not, are sent all the same first.
  ///
  /// That the server cannot be reached is no error here but told in the result: what is saved stays saved.
  public func sync(limitMilliseconds: Int64 = 30_000) async throws(LifeSignalError) -> SyncResult? {
    try await run(on: syncQueue) { [self] in
      do throws(SyncWorkerError) {
        let store = try workerStore()
        let fallback = sendUnsent(store)
        let outcome = try SyncWorker.runOnce(store: store, deadlineMilliseconds: limitMilliseconds)
        guard case .done(var report) = outcome else { return .success(nil) }
        report.pushed += fallback.sentCount
        report.pending += fallback.leftCount
        return .success(SyncResult(report))
      } catch {
        return .failure(LifeSignalError(error))
      }
    }
  }

  /// The background worker: sends and fetches whenever there is something to do, until the task is cancelled. It has a
  /// thread of its own and never polls. Where another process has a worker, it waits until that one ends, and takes over; alerts
  /// that the other one does not bring to the server within three seconds it sends meanwhile.
  ///
  /// What keeps it from working ends it only for a pause, of one second at first and of thirty at most: the store cannot be
  /// opened, libcurl is missing, the system has no thread left. `onProblem` is told each such failure, from any thread, and nil
  /// when the worker works again. That the server cannot be reached is none of them: that is told in `status()`.
  ///
  /// ```swift
  /// let worker = Task {
  ///   await client.keepSyncing { problem in log(problem?.message ?? "sending again") }
  /// }
  /// ```
  public func keepSyncing(onProblem: @escaping @Sendable (LifeSignalError?) -> Void) async {
    await keepSyncing(onProblem: onProblem, onStream: { _ in })
  }

  /// - Parameter onStream: told on the worker's thread that the connection on which the server tells what is new was opened, or
  ///   broke. Where another process has the worker, it is told nothing.
  package func keepSyncing(
    onProblem: @escaping @Sendable (LifeSignalError?) -> Void, onStream: @escaping @Sendable (_ isOpen: Bool) -> Void
  ) async {
    await WorkerSupervisor(
      clock: ContinuousClock(),
      work: { [self] began throws(LifeSignalError) in try await runWorker(began: began, streamTold: onStream) },
      onProblem: onProblem
    ).run()
  }

  /// One run of the background worker, which ends for good with the first failure that keeps it from working, and throws that:
  /// for tests of what `keepSyncing(onProblem:)` repeats.
  package func runWorker() async throws(LifeSignalError) {
    try await runWorker(began: {}, streamTold: { _ in })
  }

  /// - Parameter began: called on the worker's thread once it, or another process's in its place, works.
  private func runWorker(
    began: @escaping @Sendable () -> Void, streamTold: @escaping @Sendable (Bool) -> Void
  ) async throws(LifeSignalError) {
    let store = try await withStore { store in store }
    let fallbackSender = FallbackSender(store.home)
    defer { fallbackSender?.stop() }
    var options = SyncWorkerOptions.live
    options.streamTold = streamTold
    options.notice = { notice in
      switch notice {
      case .started:
        fallbackSender?.start()
        began()
      case .waitingForLease: began()
      case .storeFailed: fallbackSender?.look()
      default: break
      }
    }
    let worker = SyncWorker(store: store, options: options)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in start(worker, continuation) }
    } onCancel: {
      worker.stop()
    }
    _ = try result.get()
  }

  /// Whether a worker is running, in this process or another, so that what is saved is sent without `sync()`. One that stands
  /// still, because its process was stopped or frozen, does not count; to know that of it takes two seconds.
  public func isWorkerRunning() async throws(LifeSignalError) -> Bool {
    try await run(on: syncQueue) { [home] in
      Result { () throws(LocalStoreError) in try SenderHealth.examine(home) == .moving }.mapError {
        LifeSignalError($0)
      }
    }
  }

  private func start(
    _ worker: SyncWorker, _ continuation: CheckedContinuation<Result<Void, LifeSignalError>, Never>
  ) {
    do throws(SyncWorkerError) {
      try worker.start { continuation.resume(returning: $0.map { _ in }.mapError { LifeSignalError($0) }) }
    } catch {
      continuation.resume(returning: .failure(LifeSignalError(error)))
    }
  }

  private func workerStore() throws(SyncWorkerError) -> LocalStore {
    do throws(LocalStoreError) { return try store() } catch { throw SyncWorkerError(.store, error.message) }
  }
}
