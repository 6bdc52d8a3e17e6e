/// Reads what a stream gives until the task is cancelled, which it throws.
///
/// A stream that ends by itself, as where the store cannot be opened, is begun again: after one second, then after twice as
/// long each time, up to thirty. One that gave anything is begun again after one.
///
/// - Parameters:
///   - stream: begins it.
///   - clock: what it waits on between the end and the next beginning.
///   - each: is told of each element.
///   - ended: is told that the stream ended by itself: what was given may be out of date.
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
