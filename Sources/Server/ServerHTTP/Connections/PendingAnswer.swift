import CMicroHTTPD
import ServerCore
import SystemKit

/// The answer to a request whose connection is suspended until it is ready.
final class PendingAnswer: Sendable {
  private struct State {
    /// libmicrohttpd's connection, which cannot close while it is suspended.
    nonisolated(unsafe) let connection: OpaquePointer
    var response: ServerResponse?
  }

  private let state: Lock<State>

  private let suspended: Gauge

  /// `suspended` counts the connection until the answer is ready.
  init(_ connection: OpaquePointer, _ suspended: Gauge) {
    self.suspended = suspended
    state = Lock(State(connection: connection))
  }

  /// Resumes the connection with this answer. Called once, from any thread.
  @Sendable func give(_ response: ServerResponse) {
    state.withLock { state in
      state.response = response
      MHD_resume_connection(state.connection)
    }
    suspended.leave()
  }

  /// Nil until it is ready.
  func take() -> ServerResponse? {
    state.withLock { $0.response }
  }
}
