import Glibc
import SystemKit

/// A connection that was answered before its request was complete. Closing it at once would make the system send a reset,
/// which may overtake the answer; so incoming data is read for at most two seconds (RFC 9112 §9.6).
final class LingeringSocket: Sendable {
  private let socket: FileDescriptor
  let deadline: Int64

  /// Nil if no descriptor is left.
  init?(copying original: Int32, at now: Int64) {
    guard let socket = FileDescriptor(owning: fcntl(original, F_DUPFD_CLOEXEC, 0)) else { return nil }
    shutdown(socket.number, Int32(SHUT_WR))
    self.socket = socket
    deadline = now + 2000
  }

  /// Valid for as long as this object is.
  var descriptor: Int32 { socket.number }

  /// Reads what has arrived; true once the client has closed or the time is over.
  func isDone(at now: Int64) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    for _ in 0..<64 {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { continue }
      if count < 0, errno == EAGAIN || errno == EINTR { break }
      return true
    }
    return now >= deadline
  }
}
