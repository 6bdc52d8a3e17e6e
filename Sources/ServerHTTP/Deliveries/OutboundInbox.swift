import CurlKit
import ServerCore
import Synchronization

/// Where other threads leave word for the outbound loop.
final class OutboundInbox: Sendable {
  struct Content: Sendable {
    var hasDeliveries = false
    var codes: [CodeMessage] = []
    var isStopped = false
  }

  private let content = Mutex(Content())
  private let waker: CurlWaker

  init(waker: CurlWaker) { self.waker = waker }

  /// Leaves word and wakes the loop.
  func post(_ change: @Sendable (inout Content) -> Void) {
    content.withLock { change(&$0) }
    waker.wakeUp()
  }

  func take() -> Content {
    content.withLock { content in
      let taken = content
      content.hasDeliveries = false
      content.codes = []
      return taken
    }
  }
}
