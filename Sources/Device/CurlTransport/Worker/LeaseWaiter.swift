import CurlKit
import LocalStore
import Synchronization

/// Waits for the sender's lease without polling: a thread of its own blocks in flock(2), which nothing else can wait for.
///
/// Given up, its thread sleeps on until the lock is free, then lets it go and ends: in a process that ends it ends with it.
final class LeaseWaiter: Sendable {
  private enum State {
    case waiting
    case acquired(SenderLease)
    case failed(LocalStoreError)
    case givenUp
  }

  private let state = Mutex(State.waiting)

  /// Wakes `waker` when there is something to take.
  init(_ home: HomeDirectory, waking waker: CurlWaker) throws(SyncWorkerError) {
    try WorkerThread.start { [self] in
      wait(for: home)
      waker.wakeUp()
    }
  }

  /// The lease, once it is there; to be taken once. From then on it is the caller's, and `giveUp` does not let it go.
  func take() throws(LocalStoreError) -> SenderLease? {
    let settled = state.withLock { state in
      let settled = state
      if case .acquired = state { state = .givenUp }
      return settled
    }
    switch settled {
    case .acquired(let lease):
      // From now on others may leave their work to this one.
      lease.mark()
      return lease
    case .failed(let error): throw error
    case .waiting, .givenUp: return nil
    }
  }

  /// Whether there is something to take.
  var isSettled: Bool {
    state.withLock {
      if case .waiting = $0 { false } else { true }
    }
  }

  /// Wants it no more. A lease that came meanwhile is let go.
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
