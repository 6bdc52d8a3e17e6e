private enum ContinuousClockKey: DependencyKey {
  static let liveValue: any Clock<Duration> = ContinuousClock()
  static var testValue: any Clock<Duration> { StoppedClock() }
}

extension DependencyValues {
  /// The clock to sleep on, and to make timers of.
  ///
  /// In a test that does not set it, it is a ``StoppedClock``; to test what is about time set a ``TestClock``.
  public var continuousClock: any Clock<Duration> {
    get { self[ContinuousClockKey.self] }
    set { self[ContinuousClockKey.self] = newValue }
  }
}
