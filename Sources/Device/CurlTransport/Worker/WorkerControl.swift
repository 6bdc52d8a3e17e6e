import CurlKit
import Synchronization

/// What other threads ask of a worker.
final class WorkerControl: Sendable {
  private struct State {
    var waker: CurlWaker?
    var isStopRequested = false
    var isReloadRequested = false
  }

  private let state = Mutex(State())

  /// The worker's loop, to be woken by requests from now on.
  func attach(_ waker: CurlWaker) { state.withLock { $0.waker = waker } }

  func requestStop() {
    state.withLock {
      $0.isStopRequested = true
      $0.waker?.wakeUp()
    }
  }

  func requestReload() {
    state.withLock {
      $0.isReloadRequested = true
      $0.waker?.wakeUp()
    }
  }

  /// A request to stop stands for good; one to reload is taken.
  var isStopRequested: Bool { state.withLock { $0.isStopRequested } }

  func takeReloadRequest() -> Bool {
    state.withLock { state in
      defer { state.isReloadRequested = false }
      return state.isReloadRequested
    }
  }
}
