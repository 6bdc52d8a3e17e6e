extension Effect {
  /// Delays the effect by `duration`, and cancels the earlier effect with this id: only the last one of a series runs.
  ///
  /// ```swift
  /// case .searchTextChanged(let text):
  ///   return .send(.search(text)).debounce(id: CancelID.search, for: .milliseconds(300), clock: clock)
  /// ```
  public func debounce(
    id: some Hashable & Sendable, for duration: Duration, clock: any Clock<Duration>
  ) -> Self {
    .concatenate(.run { _ in try await clock.sleep(for: duration) }, self).cancellable(id: id, cancelInFlight: true)
  }

  /// Runs the effect at most once in each `interval`: the first one at once. Of those that follow within the interval,
  /// one runs at its end.
  ///
  /// - Parameters:
  ///   - id: identifies the effect within its store.
  ///   - interval: the time from one start to the next.
  ///   - clock: measures the interval.
  ///   - latest: runs the newest of those that follow within the interval; if false, the first.
  public func throttle(
    id: some Hashable & Sendable, for interval: Duration, clock: any Clock<Duration>, latest: Bool = true
  ) -> Self {
    guard let node else { return .none }
    return Self(.throttle(node, EffectThrottle(id: EffectID(id), interval: interval, clock: clock, latest: latest)))
  }
}

/// The limit on how often effects with one id may start.
struct EffectThrottle: Sendable {
  let id: EffectID
  let interval: Duration
  let clock: any Clock<Duration>
  /// Whether the newest of the effects that arrive within an interval runs at its end; if false, the first.
  let latest: Bool

  /// Starts an interval, and returns a function that computes how much of it is left.
  func start() -> @Sendable () -> Duration { Self.start(clock, interval) }

  private static func start(_ clock: some Clock<Duration>, _ interval: Duration) -> @Sendable () -> Duration {
    let start = clock.now
    return { interval - start.duration(to: clock.now) }
  }
}
