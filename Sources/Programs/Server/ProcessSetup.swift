import Glibc
import SystemKit

/// What the process asks of the system before it has threads.
enum ProcessSetup {
  /// SIGTERM, SIGINT and SIGHUP wait for `waitForSignal`, in every thread that is started later; SIGPIPE is nothing.
  static func takeSignals() {
    signal(SIGPIPE, SIG_IGN)
    SignalMask.block(endingSignals)
  }

  /// Sleeps until the process is told to end. Says by which signal.
  static func waitForSignal() -> String {
    let number = SystemKit.waitForSignal(endingSignals)
    return [SIGTERM: "SIGTERM", SIGINT: "SIGINT", SIGHUP: "SIGHUP"][number] ?? "a signal"
  }

  /// Takes as many descriptors as the system allows; how many there are.
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
