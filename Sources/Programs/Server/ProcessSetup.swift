import Glibc
import SystemKit

/// Set-up of the process before it has threads.
enum ProcessSetup {
  /// Blocks SIGTERM, SIGINT and SIGHUP for `waitForSignal`, also in threads that start later, and ignores SIGPIPE.
  static func takeSignals() {
    signal(SIGPIPE, SIG_IGN)
    SignalMask.block(endingSignals)
  }

  /// Waits for a signal to end. Returns its name.
  static func waitForSignal() -> String {
    let number = SystemKit.waitForSignal(endingSignals)
    return [SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGHUP: "SIGHUP"][number] ?? "a signal"
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

  private static let endingSignals = [SIGTERM, SIGINT, SIGHUP]
}
