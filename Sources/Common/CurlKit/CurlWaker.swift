import CCurl
import SystemKit

/// Interrupts a `CurlLoop`'s `poll` from any thread. If none is running, the next `poll` returns at once.
package final class CurlWaker: Sendable {
  /// The loop's multi handle as a number, because pointers are not Sendable; 0 once the loop is gone.
  private let multi: Lock<UInt>

  init(multi: UnsafeMutableRawPointer) {
    self.multi = Lock(UInt(bitPattern: multi))
  }

  package func wakeUp() {
    multi.withLock { number in
      guard let multi = UnsafeMutableRawPointer(bitPattern: number) else { return }
      // Fails only if its pipe is full, and then a wake-up is already pending.
      _ = lifesignal_curl_multi_wakeup(multi)
    }
  }

  /// Called by the loop before it closes its handle.
  func invalidate() {
    multi.withLock { $0 = 0 }
  }
}
