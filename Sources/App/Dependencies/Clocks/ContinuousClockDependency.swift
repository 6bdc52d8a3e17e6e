private enum ContinuousClockKey: DependencyKey {
  static let liveValue: any Clock<Duration> = ContinuousClock()
  static var testValue: any Clock<Duration> { StoppedClock() }
}

extension DependencyValues {
  /// The clock for sleeps and timers.
  ///
  /// A test that does not set it has a ``StoppedClock``. To test behavior over time, set a ``TestClock``.
  public var continuousClock: any Clock<Duration> {
    get { self[ContinuousClockKey.self] }
    set { self[ContinuousClockKey.self] = newValue }
  }
}
