import CurlKit
import LocalStore
import SystemKit

/// Waits for the sender's lease without polling: its own thread blocks in flock(2), which cannot be polled.
///
/// After `giveUp` the thread keeps blocking until the lock is free, releases it and ends, or ends with the process.
final class LeaseWaiter: Sendable {
  private enum State {
    case waiting
    case acquired(SenderLease)
    case failed(LocalStoreError)
    case givenUp
  }

  private let state = Lock(State.waiting)

  /// Wakes `waker` when `take` has a result.
  init(_ home: HomeDirectory, waking waker: CurlWaker) throws(SyncWorkerError) {
    try WorkerThread.start { [self] in
      wait(for: home)
      waker.wakeUp()
    }
  }

  /// The lease, once acquired; can be taken once. The caller then owns it, and `giveUp` does not release it.
  func take() throws(LocalStoreError) -> SenderLease? {
    let settled = state.withLock { state in
      let settled = state
      if case .acquired = state { state = .givenUp }
      return settled
    }
    switch settled {
    case .acquired(let lease):
      // From now on other processes may rely on this one to send.
      lease.mark()
      return lease
    case .failed(let error): throw error
    case .waiting, .givenUp: return nil
    }
  }

  /// Whether `take` has a result.
  var isSettled: Bool {
    state.withLock {
      if case .waiting = $0 { false } else { true }
    }
  }

  /// Stops waiting. Releases a lease that was acquired meanwhile.
  func giveUp() {
    state.withLock {
      if case .acquired(let lease) = $0 { lease.release() }
      $0 = .givenUp
    }
  }

  private func wait(for home: HomeDirectory) {
    do throws(LocalStoreError) {
      settle(.acquired(try SenderLease.waitAndAcquire(home)))
    } catch {
      settle(.failed(error))
    }
  }

  private func settle(_ outcome: State) {
    state.withLock { state in
      if case .givenUp = state {
        if case .acquired(let lease) = outcome { lease.release() }
      } else {
        state = outcome
      }
    }
  }
}
