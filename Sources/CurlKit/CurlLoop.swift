/// Many requests at once, on one thread, over reused connections (libcurl's multi interface).
///
/// One thread owns a loop and calls everything of it; only `waker` is for other threads. Nothing runs in the background:
/// requests move on inside `poll`. The process should ignore SIGPIPE, as an executable does at its start.
///
/// ```swift
/// let loop = try CurlLoop()
/// let id = try loop.start(CurlRequest(url: "https://example.org/", addressPolicy: .publicOnly))
/// while true {
///   for event in try loop.poll().events { … }
/// }
/// ```
package final class CurlLoop {
  package struct Options: Sendable {
    /// Beyond it requests wait their turn; 0 is without a limit.
    package var maximumConnectionsPerHost = 0
    /// Idle connections that are kept for later requests.
    package var maximumIdleConnections = 8
    /// Milliseconds that never go back; silence is measured with it.
    package var monotonicMilliseconds: @Sendable () -> Int64

    package init(monotonicMilliseconds: (@Sendable () -> Int64)? = nil) {
      self.monotonicMilliseconds = monotonicMilliseconds ?? { 0 }
    }
  }

  /// What one wait gave.
  package struct PollResult: Sendable {
    package var events: [CurlEvent]
    /// Those of the watched descriptors that can be read, or have failed.
    package var readable: [Int32]
  }

  /// Throws `unavailable` where libcurl cannot be loaded.
  package init(options: Options = Options()) throws(CurlError) {
    fatalError("not yet")
  }

  /// Wakes the loop from any thread, also after the loop has gone.
  package var waker: CurlWaker { fatalError("not yet") }

  /// The requests that were started and have not ended.
  package var activeCount: Int { fatalError("not yet") }

  /// Takes a request up; it begins to move with the next `poll`. Throws `invalidRequest` for one that is not allowed.
  package func start(_ request: CurlRequest) throws(CurlError) -> CurlRequestID {
    fatalError("not yet")
  }

  /// Ends a request without an event. Unknown ids and ended requests are nothing to it.
  package func cancel(_ id: CurlRequestID) {
    fatalError("not yet")
  }

  /// Waits until something happened: an event, a readable descriptor, the time-out (nil is for ever), or a wake-up. May
  /// return with nothing. Blocks in one system call.
  package func poll(timeoutMilliseconds: Int? = nil, watching descriptors: [Int32] = []) throws(CurlError) -> PollResult
  {
    fatalError("not yet")
  }

  /// Closes what no request uses: after a change of networks, old connections may lead nowhere.
  package func dropIdleConnections() {
    fatalError("not yet")
  }
}
