import Glibc

/// What a service tells systemd, where that started it with `Type=notify`: sd_notify(3).
package struct ServiceManager: Sendable {
  /// A notification.
  package enum State: Sendable {
    case ready, stopping, alive
    /// Reads its settings again; `ready` follows.
    case reloading
    /// One line for a person, which stands until the next one; empty: none.
    case status(String)
  }

  private let socket: String?
  /// How often `alive` has to be told at least; nil if nobody waits for it.
  package let watchdogMilliseconds: Int?

  /// As the environment of this process says.
  package static func ofThisProcess() -> ServiceManager {
    func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    return ServiceManager(
      socket: value("NOTIFY_SOCKET"), watchdogMicroseconds: value("WATCHDOG_USEC"),
      watchedProcess: value("WATCHDOG_PID"))
  }

  /// - Parameter watchedProcess: another process than this one is no reason to tell that this one is alive.
  package init(socket: String?, watchdogMicroseconds: String? = nil, watchedProcess: String? = nil) {
    self.socket = socket
    let isWatched = watchedProcess.map { $0 == "\(getpid())" } ?? true
    let limit = isWatched && socket != nil ? watchdogMicroseconds.flatMap { Int($0) } : nil
    watchdogMilliseconds = limit.flatMap { $0 > 0 ? max(1, $0 / 1000) : nil }
  }

  /// Never waits. A notification that cannot be sent is lost: systemd then acts as its unit says.
  package func tell(_ state: State) {
    guard let socket, var address = sockaddr_un(notifying: socket),
      let descriptor = FileDescriptor(
        owning: Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0))
    else { return }
    let text = Array(Self.text(state).utf8)
    let length = socklen_t(MemoryLayout<sa_family_t>.size + socket.utf8.count)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor.number, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
  }

  private static func text(_ state: State) -> String {
    switch state {
    case .ready: return "READY=1"
    case .stopping: return "STOPPING=1"
    case .alive: return "WATCHDOG=1"
    case .status(let line): return "STATUS=\(line.prefix { !$0.isNewline })"
    case .reloading:
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      return "RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)"
    }
  }
}

extension sockaddr_un {
  /// Of a path, or of a name in the abstract namespace, which begins with `@`. Nil if it is longer than an address.
  fileprivate init?(notifying name: String) {
    self.init()
    let bytes = Array(name.utf8)
    let capacity = MemoryLayout.size(ofValue: sun_path)
    guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), bytes.count < capacity
    else { return nil }
    sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &sun_path) { path in
      path.copyBytes(from: bytes)
      if first == UInt8(ascii: "@") { path[0] = 0 }
    }
  }
}
