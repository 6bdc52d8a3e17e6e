import CCurl
import Synchronization

/// Interrupts a `CurlLoop`'s `poll` from any thread; the next `poll` returns at once where none is under way.
package final class CurlWaker: Sendable {
  /// The loop's multi handle as a number, for pointers are not Sendable; 0 once the loop is gone.
  private let multi: Mutex<UInt>

  init(multi: UnsafeMutableRawPointer) {
    self.multi = Mutex(UInt(bitPattern: multi))
  }

  package func wakeUp() {
    multi.withLock { number in
      guard let multi = UnsafeMutableRawPointer(bitPattern: number) else { return }
      // It can fail only where its pipe is full: then a wake-up is waiting already.
      _ = lifesignal_curl_multi_wakeup(multi)
    }
  }

  /// Called by the loop before its handle goes.
  func invalidate() {
    multi.withLock { $0 = 0 }
  }
}
