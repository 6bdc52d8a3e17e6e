import ServerCore
import Synchronization
import SystemKit

/// Where other threads leave word for the outbound loop, and see how it is.
final class OutboundInbox: Sendable {
  struct Content: Sendable {
    var hasDeliveries = false
    var codes: [CodeMessage] = []
    var isStopped = false
  }

  private let content = Lock(Content())
  private let pipe: WakePipe
  private let working = Atomic(true)

  /// Nil where the process has no descriptor left.
  init?() {
    guard let pipe = WakePipe() else { return nil }
    self.pipe = pipe
  }

  /// Can be read while there is word. It outlives the transport, which may fail and be replaced.
  var descriptor: Int32 { pipe.descriptor }

  /// Messages can be sent. Set by the loop.
  var isWorking: Bool {
    get { working.load(ordering: .relaxed) }
    set { working.store(newValue, ordering: .relaxed) }
  }

  /// Leaves word and wakes the loop.
  func post(_ change: @Sendable (inout Content) -> Void) {
    content.withLock { change(&$0) }
    pipe.wakeUp()
  }

  func take() -> Content {
    pipe.drain()
    return content.withLock { content in
      let taken = content
      content.hasDeliveries = false
      content.codes = []
      return taken
    }
  }

  /// Waits for word, at most so long.
  func wait(milliseconds: Int64) {
    _ = pipe.wait(until: Deadline(millisecondsFromNow: Int(milliseconds)))
  }
}
