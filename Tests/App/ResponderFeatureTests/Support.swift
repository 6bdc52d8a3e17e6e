import AppModel
import Clients
import ComposableTesting
import Dependencies
import Foundation
import Model
import ResponderFeature
import SystemKit

let start = Date(timeIntervalSince1970: 1_000_000)

/// A failure with a text for a person.
struct DiskFull: LocalizedError, Equatable {
  static let message = "The disk is full."
  var errorDescription: String? { Self.message }
}

/// A store whose client a test gives.
@MainActor
func makeStore(
  _ state: @autoclosure () -> ResponderFeature.State = ResponderFeature.State(),
  _ client: ResponderClient = .mock(), clock: TestClock = TestClock()
) -> TestStoreOf<ResponderFeature> {
  TestStore(initialState: state()) {
    ResponderFeature()
  } withDependencies: {
    $0.responderClient = client
    $0.continuousClock = clock
  }
}

extension ReceivedAlert {
  /// Ben's alert, active and unanswered, or with what `change` makes of it.
  static func of(_ number: UInt64 = 1, _ change: (inout Self) -> Void = { _ in }) -> Self {
    let id = ReceivedAlert.ID(versionSevenAt: Timestamp(start), random: (0, number))
    var alert = Self(id: id, name: "Ben", phone: "+12025550143", startTime: start)
    change(&alert)
    return alert
  }

  /// Ben's alert, answered.
  static func answered(_ kind: Answer.Kind, _ number: UInt64 = 1) -> Self {
    of(number) { $0.answer = Answer(kind, time: start) }
  }
}

/// What the client was told.
final class Told: Sendable {
  private let lines = Lock<[String]>([])
  var all: [String] { lines.withLock { $0 } }

  @Sendable func respond(_ id: ReceivedAlert.ID, _ answer: ReceivedAlert.Answer.Kind, _ text: String?) {
    lines.withLock { $0.append("\(answer.rawValue) \(text ?? "-")") }
  }

  @Sendable func see(_ id: ReceivedAlert.ID) { lines.withLock { $0.append("seen") } }
}

/// Lists that a test sends at any time, to the latest stream.
final class Feed: Sendable {
  private let continuations = Lock<[AsyncStream<[ReceivedAlert]>.Continuation]>([])

  /// How often the stream was started.
  var count: Int { continuations.withLock { $0.count } }

  func give(_ alerts: [ReceivedAlert]) { continuations.withLock { $0.last }?.yield(alerts) }

  /// Ends the latest stream.
  func end() { continuations.withLock { $0.last }?.finish() }

  @Sendable func alerts() -> AsyncStream<[ReceivedAlert]> {
    let (stream, continuation) = AsyncStream.makeStream(of: [ReceivedAlert].self)
    continuations.withLock { $0.append(continuation) }
    return stream
  }
}

/// An answer that a test gives at any time.
final class Answer: Sendable {
  private let stream: AsyncThrowingStream<Void, any Error>
  private let continuation: AsyncThrowingStream<Void, any Error>.Continuation

  init() { (stream, continuation) = AsyncThrowingStream.makeStream() }

  func give() { continuation.yield() }

  /// Throws `CancellationError` if the task is cancelled first.
  @Sendable func wait() async throws {
    for try await _ in stream { return }
    throw CancellationError()
  }
}
