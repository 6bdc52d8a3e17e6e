import Glibc

/// The right to speak to the server: the lock on `sender.lock`, held while the value lives.
package final class SenderLease: Sendable {
  /// nil where another process holds it.
  package static func acquire(_ home: HomeDirectory) throws(LocalStoreError) -> SenderLease? { fatalError("not yet") }

  /// Lets it go before the value does; a second call does nothing.
  package func release() { fatalError("not yet") }
}

extension HomeDirectory {
  /// Tells whoever speaks to the server that there is work: opens `wake` for writing, sets its times and closes it, so a
  /// watcher sees `IN_ATTRIB` and `IN_CLOSE_WRITE`. Best effort: the worker also looks when it starts.
  package func poke() { fatalError("not yet") }
}
