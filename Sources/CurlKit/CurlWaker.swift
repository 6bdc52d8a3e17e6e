/// Interrupts a `CurlLoop`'s `poll` from any thread; the next `poll` returns at once where none is under way.
package final class CurlWaker: Sendable {
  package func wakeUp() {
    fatalError("not yet")
  }
}
