import Glibc

/// What the process asks of the system before it has threads.
enum ProcessSetup {
  /// SIGTERM, SIGINT and SIGHUP wait for `waitForSignal`, in every thread that is started later; SIGPIPE is nothing.
  static func takeSignals() {
    signal(SIGPIPE, SIG_IGN)
    var signals = endingSignals()
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Sleeps until the process is told to end. Says by which signal.
  static func waitForSignal() -> String {
    var signals = endingSignals()
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
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

  private static func endingSignals() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, number) }
    return signals
  }
}
