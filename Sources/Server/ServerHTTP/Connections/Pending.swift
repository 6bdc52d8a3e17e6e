import CMicroHTTPD
import SystemKit

/// What a suspended connection waits for.
final class Pending<Value: Sendable>: Sendable {
  private struct State {
    /// libmicrohttpd's connection, which cannot close while it is suspended.
    nonisolated(unsafe) let connection: OpaquePointer
    var value: Value?
  }

  private let state: Lock<State>

  private let suspended: Gauge

  /// `suspended` counts the connection until the value is there.
  init(_ connection: OpaquePointer, _ suspended: Gauge) {
    self.suspended = suspended
    state = Lock(State(connection: connection))
  }

  /// Resumes the connection with this value. Called once, from any thread.
  @Sendable func give(_ value: Value) {
    state.withLock { state in
      state.value = value
      MHD_resume_connection(state.connection)
    }
    suspended.leave()
  }

  /// Nil until it is there.
  func take() -> Value? {
    state.withLock { $0.value }
  }
}
