import Glibc
import Synchronization

/// The right to speak to the server: the lock on `sender.lock`, held while the value lives.
package final class SenderLease: Sendable {
  private let descriptor: Mutex<Int32>

  private init(descriptor: Int32) {
    self.descriptor = Mutex(descriptor)
  }

  deinit {
    release()
  }

  /// nil where another process, or another value in this one, holds it.
  package static func acquire(_ home: HomeDirectory) throws(LocalStoreError) -> SenderLease? {
    let path = home.senderLockPath
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw LocalStoreError(errorNumber: errno, "open \(path)") }
    fchmod(descriptor, 0o600)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let number = errno
      if number == EINTR { continue }
      close(descriptor)
      guard number == EWOULDBLOCK else { throw LocalStoreError(errorNumber: number, "lock \(path)") }
      return nil
    }
    return SenderLease(descriptor: descriptor)
  }

  /// Lets it go before the value does; a second call does nothing.
  package func release() {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else { return }
      close(descriptor)
      descriptor = -1
    }
  }
}

extension HomeDirectory {
  /// Tells whoever speaks to the server that there is work: sets the times of `wake`, so a watcher sees `IN_ATTRIB`; the
  /// first time it makes the file. Best effort: the worker also looks when it starts.
  package func poke() {
    guard utimensat(AT_FDCWD, wakePath, nil, AT_SYMLINK_NOFOLLOW) != 0 else { return }
    let descriptor = open(wakePath, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    close(descriptor)
  }
}
