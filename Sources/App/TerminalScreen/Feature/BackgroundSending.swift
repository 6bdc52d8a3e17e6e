package import LifeSignalFeatures

/// The process in the background that goes on sending an alert when this program has ended, however it ended.
package struct BackgroundSending: Sendable {
  package enum Outcome: Hashable, Sendable {
    /// One stands by, or was started.
    case standingBy
    /// The environment forbids it.
    case switchedOff
    /// Why none can be started, as a sentence without a full stop.
    case failed(String)
  }

  /// Starts one if there is none. Call it once an alert, its end or its news are saved.
  package var start: @Sendable () async -> Outcome

  package init(start: @escaping @Sendable () async -> Outcome) { self.start = start }
}

extension BackgroundSending: TestDependencyKey {
  /// Fails the test with the endpoint's name.
  package static let testValue = Self(
    start: { unimplemented("BackgroundSending.start", placeholder: .switchedOff) })
}

extension DependencyValues {
  package var backgroundSending: BackgroundSending {
    get { self[BackgroundSending.self] }
    set { self[BackgroundSending.self] = newValue }
  }
}
