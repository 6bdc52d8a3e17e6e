import CLinux
import Glibc
import SystemKit

/// SIGTERM, SIGINT and SIGHUP as something to wait for, in place of interrupting. For executables alone.
///
/// Made on the main thread before any other thread: the signals are blocked in it, and in all that it starts. It also
/// ignores SIGPIPE: a peer that went away is an error of the call.
package final class ProcessSignals: Sendable {
  enum Signal {
    /// SIGTERM or SIGINT: end.
    case end
    /// SIGHUP: read the configuration again.
    case reload
  }

  private let descriptor: FileDescriptor

  package init() throws(SyncWorkerError) {
    descriptor = try FileDescriptor(lifesignal_signals_open(), for: "waiting for signals")
  }

  var number: Int32 { descriptor.number }

  /// The signals that came since the last call.
  func take() -> [Signal] {
    var signals: [Signal] = []
    while true {
      switch lifesignal_signals_next(number) {
      case 0: return signals
      case SIGHUP: signals.append(.reload)
      default: signals.append(.end)
      }
    }
  }
}
