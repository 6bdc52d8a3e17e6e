import ProgramTesting
import Testing

@testable import LifeSignal

@Suite(.timeLimit(.minutes(5))) struct `Observing the store` {
  /// Signals when it is released.
  private final class Token: Sendable {
    private let continuation: AsyncStream<Never>.Continuation
    init(_ continuation: AsyncStream<Never>.Continuation) { self.continuation = continuation }
    deinit { continuation.finish() }
  }

  private func isReleased(_ stream: AsyncStream<Never>) async { for await _ in stream {} }

  /// An observation whose end can be awaited.
  private func observe(_ client: LifeSignalClient) -> (values: AsyncStream<Int>, released: AsyncStream<Never>) {
    let (released, continuation) = AsyncStream.makeStream(of: Never.self)
    let token = Token(continuation)
    return (client.observe { withExtendedLifetime(token) { Reading(1) } }, released)
  }

  @Test(.timeLimit(.minutes(10))) func `it ends with its reader`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    let released = await {
      let (values, released) = observe(client)
      _ = await values.first { _ in true }
      return released
    }()
    await isReleased(released)
  }

  @Test(.timeLimit(.minutes(10))) func `it ends even if its reader left before it started`() async throws {
    let device = try TestDevice()
    let client = try LifeSignalClient.open(home: device.home)
    client.storeQueue.suspend()
    let released = { observe(client).released }()
    client.storeQueue.resume()
    await isReleased(released)
  }
}
