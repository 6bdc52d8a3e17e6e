/// SIGTERM, SIGINT and SIGHUP as something to wait for, in place of interrupting. For executables alone.
///
/// Made on the main thread before any other thread: the signals are blocked in it, and in all that it starts. It also
/// ignores SIGPIPE: a peer that went away is an error of the call.
package final class ProcessSignals: Sendable {
  package init() throws(SyncWorkerError) { fatalError("not yet") }
}
