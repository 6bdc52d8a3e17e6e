import Glibc

/// A connection that was answered before its request was whole. Closing it at once would make the system send a reset,
/// which may overtake the answer; so what still comes is read for at most two seconds (RFC 9112 §9.6).
struct LingeringSocket {
  let descriptor: Int32
  let deadline: Int64

  /// Nil where no descriptor is left.
  init?(copying original: Int32, at now: Int64) {
    descriptor = fcntl(original, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    deadline = now + 2000
    shutdown(descriptor, Int32(SHUT_WR))
  }

  func close() { Glibc.close(descriptor) }

  /// Reads what there is; closes and says true when the client has closed or the time is over.
  func isDone(at now: Int64) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    for _ in 0..<64 {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count > 0 { continue }
      if count < 0, errno == EAGAIN || errno == EINTR { break }
      close()
      return true
    }
    guard now >= deadline else { return false }
    close()
    return true
  }
}
