/// Reads a stream until the task is cancelled, and then throws `CancellationError`.
///
/// Restarts a stream that ends by itself, for example because the store cannot be opened: after one second, then twice as long each
/// time, up to thirty. A stream that gave anything restarts after one second.
///
/// - Parameters:
///   - stream: starts the stream.
///   - clock: times the pauses.
///   - each: called with each element.
///   - ended: called when the stream ended by itself: its last value may be out of date.
package func follow<Element: Sendable>(
  _ stream: @Sendable () -> AsyncStream<Element>, clock: any Clock<Duration>,
  each: (Element) async -> Void, ended: () async -> Void
) async throws {
  var delay = Duration.seconds(1)
  while true {
    for await element in stream() {
      delay = .seconds(1)
      await each(element)
    }
    try Task.checkCancellation()
    await ended()
    try await clock.sleep(for: delay)
    delay = min(delay * 2, .seconds(30))
  }
}
