import AlertFeature
import AppModel
import Clients
import ComposableTesting
import Dependencies
import Foundation
import Synchronization

let start = Date(timeIntervalSince1970: 1_000_000)
let end = start.addingTimeInterval(600)

/// A failure with a text for a person.
struct DiskFull: AlertSavingError, LocalizedError, Equatable {
  static let message = "The alert is NOT saved: the disk is full."

  var savingFailure: AlertSavingFailure? { .notSaved }
  var errorDescription: String? { Self.message }
}

/// A store whose responders can be told; a test sets everything else that it needs.
@MainActor
func makeStore(
  _ state: @autoclosure () -> AlertFeature.State = AlertFeature.State(),
  _ update: (inout DependencyValues) -> Void = { _ in }
) -> TestStoreOf<AlertFeature> {
  TestStore(initialState: state()) {
    AlertFeature()
  } withDependencies: {
    $0.notificationClient = .mock(notifyRespondersOfAlert: {}, notifyRespondersOfAlertDeactivation: {})
    $0.date = .constant(start)
    update(&$0)
  }
}

extension AlertFeature.State {
  static var active: Self { Self(isAlertActive: true, alertStartTime: start) }

  static var activating: Self { Self(activationProgress: 1, isActivatingAlert: true) }

  static var deactivating: Self {
    Self(isAlertActive: true, deactivationProgress: 1, alertStartTime: start, isDeactivatingAlert: true)
  }
}

extension AlertSnapshot {
  /// Of an alert that this device knows and the server does not.
  static func active(_ startTime: Date = start, acceptedAt: Date? = nil) -> Self {
    Self(
      isActive: true, startTime: startTime, delivery: AlertDelivery(savedAt: startTime, acceptedAt: acceptedAt))
  }

  static func ended(_ startTime: Date = start, at endTime: Date = end) -> Self {
    Self(startTime: startTime, endTime: endTime, delivery: AlertDelivery(savedAt: startTime))
  }
}

/// An answer that a test gives at any time.
final class Answer<Value: Sendable>: Sendable {
  private let stream: AsyncThrowingStream<Value, any Error>
  private let continuation: AsyncThrowingStream<Value, any Error>.Continuation

  init() { (stream, continuation) = AsyncThrowingStream.makeStream() }

  func give(_ value: Value) { continuation.yield(value) }

  func fail(_ error: any Error) { continuation.finish(throwing: error) }

  /// Throws `CancellationError` if the task is cancelled first.
  @Sendable func wait() async throws -> Value {
    for try await value in stream { return value }
    throw CancellationError()
  }
}

/// Snapshots that a test sends at any time, to the latest stream.
final class Feed: Sendable {
  private let continuations = Mutex<[AsyncStream<AlertSnapshot>.Continuation]>([])

  /// How often the stream was started.
  var count: Int { continuations.withLock { $0.count } }

  func give(_ snapshot: AlertSnapshot) {
    continuations.withLock { $0.last }?.yield(snapshot)
  }

  /// Ends the latest stream.
  func end() {
    continuations.withLock { $0.last }?.finish()
  }

  @Sendable func snapshots() -> AsyncStream<AlertSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(of: AlertSnapshot.self)
    continuations.withLock { $0.append(continuation) }
    return stream
  }
}

/// Counts calls.
final class Counter: Sendable {
  private let number = Atomic(0)

  var count: Int { number.load(ordering: .acquiring) }

  @Sendable func callAsFunction() { number.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}
