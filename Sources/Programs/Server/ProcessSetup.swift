import Glibc
import SystemKit

/// Set-up of the process before it has threads.
enum ProcessSetup {
  enum Order {
    /// With the signal's name.
    case end(String)
    /// To read the settings again.
    case reload
  }

  /// Has SIGHUP wait for `waitForSignal`, also in threads that start later, and ignores the signals of failed writes.
  static func holdReloads() {
    ignoreSignalsOfWrites()
    SignalMask.block([SIGHUP])
  }

  /// The same of SIGTERM and SIGINT.
  static func holdEnds() { SignalMask.block([SIGTERM, SIGINT]) }

  /// Whether SIGHUP ends the server.
  static var hasTerminal: Bool { isatty(STDIN_FILENO) != 0 }

  /// Whether standard error leads to systemd's journal, as `JOURNAL_STREAM` says (systemd.exec(5)).
  static var writesToJournal: Bool {
    var status = stat()
    guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
    return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }

  /// Waits for a signal, for at most so long; nil if none came. SIGHUP ends a server whose terminal was closed.
  static func waitForSignal(milliseconds: Int?) -> Order? {
    let signal =
      if let milliseconds { SystemKit.waitForSignal(signals, milliseconds: milliseconds) } else {
        SystemKit.waitForSignal(signals)
      }
    guard let signal else { return nil }
    return switch signal {
    case SIGHUP where !hasTerminal && !hasLostTerminal: .reload
    case SIGHUP: .end("SIGHUP")
    case SIGINT: .end("SIGINT")
    default: .end("SIGTERM")
    }
  }

  /// A closed terminal is none any more, but reading of it fails in a way of its own.
  private static var hasLostTerminal: Bool {
    var attributes = termios()
    return tcgetattr(STDIN_FILENO, &attributes) != 0 && errno == EIO
  }

  /// Raises the descriptor limit as far as the system allows, at most to 65,536. Returns the limit.
  static func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(limit.rlim_cur)
  }

  /// What an operator can do for a port that the server may not use.
  static let portAdvice =
    "a port below 1024. Under systemd a unit may with AmbientCapabilities=CAP_NET_BIND_SERVICE, "
    + "CapabilityBoundingSet=CAP_NET_BIND_SERVICE and PrivateUsers=no (systemctl edit lifesignal-server)"

  /// Whether this process may listen on the port; yes where the kernel does not say.
  static func mayListen(on port: UInt16) -> Bool {
    mayListen(
      on: port, status: text("/proc/self/status") ?? "",
      firstFreePort: text("/proc/sys/net/ipv4/ip_unprivileged_port_start") ?? "")
  }

  /// Ports below 1024, or what ip(7) calls the first unprivileged port, need CAP_NET_BIND_SERVICE (capabilities(7)).
  static func mayListen(on port: UInt16, status: String, firstFreePort: String) -> Bool {
    let first = Int(firstFreePort.filter { !$0.isWhitespace }) ?? 1024
    guard port != 0, port < first,
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:") }),
      let rights = UInt64(line.dropFirst(7).filter { !$0.isWhitespace }, radix: 16)
    else { return true }
    return rights & (1 << 10) != 0
  }

  /// Nil where the kernel does not show it to this process.
  private static func text(_ path: String) -> String? {
    ((try? WholeFile.read(path, maximumBytes: 65_536)) ?? nil).map { String(decoding: $0, as: UTF8.self) }
  }

  private static let signals = [SIGTERM, SIGINT, SIGHUP]
}
