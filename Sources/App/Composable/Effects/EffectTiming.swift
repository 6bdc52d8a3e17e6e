extension Effect {
  /// The same, but only when nothing of this id has been asked for during `duration`: each new one cancels the one before.
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

  /// The same at most once in each `interval`: the first at once, and of those that come meanwhile one when it is over.
  ///
  /// - Parameters:
  ///   - id: names it among the effects of a store.
  ///   - interval: from the beginning of one to the beginning of the next.
  ///   - clock: measures it.
  ///   - latest: of those that come meanwhile the newest is taken; else the first.
  public func throttle(
    id: some Hashable & Sendable, for interval: Duration, clock: any Clock<Duration>, latest: Bool = true
  ) -> Self {
    guard let node else { return .none }
    return Self(.throttle(node, EffectThrottle(id: EffectID(id), interval: interval, clock: clock, latest: latest)))
  }
}

/// How often effects of one id may begin.
struct EffectThrottle: Sendable {
  let id: EffectID
  let interval: Duration
  let clock: any Clock<Duration>
  /// Of those that come while one may not begin the newest is taken; else the first.
  let latest: Bool

  /// A function that says what is left of the interval that begins now.
  func start() -> @Sendable () -> Duration { Self.start(clock, interval) }

  private static func start(_ clock: some Clock<Duration>, _ interval: Duration) -> @Sendable () -> Duration {
    let start = clock.now
    return { interval - start.duration(to: clock.now) }
  }
}
