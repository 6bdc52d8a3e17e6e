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

  private let descriptor: SignalDescriptor

  package init() throws(SyncWorkerError) {
    do throws(SystemError) {
      descriptor = try SignalDescriptor()
    } catch {
      throw SyncWorkerError(.system, "waiting for signals is not possible: \(error.reason)")
    }
  }

  var number: Int32 { descriptor.descriptor }

  /// The signals that came since the last call.
  func take() -> [Signal] {
    var signals: [Signal] = []
    while let signal = descriptor.next() { signals.append(signal == SIGHUP ? .reload : .end) }
    return signals
  }
}
