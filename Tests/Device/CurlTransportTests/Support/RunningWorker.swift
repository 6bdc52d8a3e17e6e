import LocalStore
import SystemKit
import Testing

@testable import CurlTransport

/// A worker on its own thread, and what it reported.
final class RunningWorker: Sendable {
  let worker: SyncWorker
  private let log = Log()
  private let noticed: AsyncSignal
  private let ended: AsyncSignal

  private final class Log: Sendable {
    let wakes = Lock(0)
    let notices = Lock<[SyncWorkerNotice]>([])
    let result = Lock<Result<SyncOutcome, SyncWorkerError>?>(nil)
  }

  init(_ store: LocalStore, options: SyncWorkerOptions = .live) throws {
    let (noticed, notices) = AsyncSignal.make()
    let (ended, end) = AsyncSignal.make()
    (self.noticed, self.ended) = (noticed, ended)
    let log = log
    var options = options
    options.didWake = { log.wakes.withLock { $0 += 1 } }
    options.notice = { notice in
      log.notices.withLock { $0.append(notice) }
      notices.send()
    }
    worker = SyncWorker(store: store, options: options)
    try worker.start { result in
      log.result.withLock { $0 = result }
      end.send()
    }
  }

  var wakeCount: Int { log.wakes.withLock { $0 } }

  /// Waits until the worker has reported `notice`. Records an issue after a timeout.
  func waitFor(_ notice: SyncWorkerNotice) {
    while !log.notices.withLock({ $0.contains(notice) }) {
      guard noticed.wait() else {
        Issue.record("the worker did not report \(notice)")
        return
      }
    }
  }

  /// Waits until the worker ends. Throws after a timeout.
  func outcome() throws -> SyncOutcome? {
    try #require(ended.wait(), "the worker did not end")
    return try log.result.withLock { $0 }?.get()
  }

  func stop() throws -> SyncOutcome? {
    worker.stop()
    return try outcome()
  }
}
