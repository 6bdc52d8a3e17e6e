import CurlKit
import SystemKit

/// Requests from other threads to a worker.
final class WorkerControl: Sendable {
  private struct State {
    var waker: CurlWaker?
    var isStopRequested = false
    var isReloadRequested = false
  }

  private let state = Lock(State())

  /// Sets the loop that later requests wake.
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

  /// A stop request is permanent; a reload request is consumed.
  var isStopRequested: Bool { state.withLock { $0.isStopRequested } }

  func takeReloadRequest() -> Bool {
    state.withLock { state in
      defer { state.isReloadRequested = false }
      return state.isReloadRequested
    }
  }
}
