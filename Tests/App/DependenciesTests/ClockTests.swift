import Dependencies
import Testing

@Suite struct `Clocks without time` {
  @Test func `On a stopped clock a sleep throws at once, and is counted`() async {
    let clock = StoppedClock()
    #expect(clock.sleepRequestCount == 0)
    await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(1)) }
    #expect(clock.sleepRequestCount == 1)
  }

  @Test func `It is the clock of a test that sets none, and the same one for the whole test`() async throws {
    let values = DependencyValues(context: .test)
    await #expect(throws: CancellationError.self) { try await values.continuousClock.sleep(for: .seconds(1)) }
    let clock = try #require(values.continuousClock as? StoppedClock)
    #expect(clock.sleepRequestCount == 1)
    #expect(DependencyValues().continuousClock is ContinuousClock)
  }

  @Test func `On an immediate clock a sleep only sets the time`() async throws {
    let clock = ImmediateClock()
    try await clock.sleep(for: .seconds(90))
    #expect(clock.now.offset == .seconds(90))
    try await clock.sleep(until: VirtualInstant(offset: .seconds(1)))
    #expect(clock.now.offset == .seconds(90))
  }

  @Test func `A sleep on an immediate clock can be cancelled`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await ImmediateClock().sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

@Suite struct `A timer` {
  @Test func `It ticks at multiples of its interval`() async {
    let clock: any Clock<Duration> = ImmediateClock()
    var ticks: [Duration] = []
    for await tick in clock.timer(interval: .milliseconds(250)) {
      ticks.append(tick)
      if ticks.count == 4 { break }
    }
    #expect(ticks == [.milliseconds(250), .milliseconds(500), .milliseconds(750), .seconds(1)])
  }

  @Test func `It skips missed ticks`() async throws {
    let clock = ImmediateClock()
    var ticks = clock.timer(interval: .seconds(1)).makeAsyncIterator()
    #expect(await ticks.next() == .seconds(1))
    try await clock.sleep(for: .milliseconds(3500))
    #expect(clock.now.offset == .milliseconds(4500))
    #expect(await ticks.next() == .seconds(5))
    try await clock.sleep(for: .seconds(2))
    #expect(await ticks.next() == .seconds(7), "exactly on time is not too late")
  }

  @Test func `It ends when its task is cancelled, and does not restart`() async {
    let clock = ImmediateClock()
    let count = await Task {
      var count = 0
      for await _ in clock.timer(interval: .seconds(1)) {
        count += 1
        if count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
      }
      return count
    }.value
    #expect(count == 3)
  }

  @Test func `On a stopped clock it ends without a tick`() async {
    var ticks = StoppedClock().timer(interval: .seconds(1)).makeAsyncIterator()
    #expect(await ticks.next() == nil)
    #expect(await ticks.next() == nil)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `An interval that is not greater than zero is an issue and never ticks`(interval: Duration) async {
    let reported = await issues {
      for await _ in ImmediateClock().timer(interval: interval) { Issue.record("it ticks") }
    }
    #expect(reported.count == 1)
    #expect(reported.first?.location.fileID == "DependenciesTests/ClockTests.swift")
  }

  @Test @MainActor func `It is iterated on the caller's actor`() async {
    for await _ in ImmediateClock().timer(interval: .seconds(1)) {
      MainActor.assertIsolated()
      break
    }
  }

  @Test func `Its ticks are exact after years`() async {
    let clock = ImmediateClock()
    var ticks = clock.timer(interval: .nanoseconds(3)).makeAsyncIterator()
    _ = await ticks.next()
    try? await clock.sleep(for: .seconds(1_000_000_000))
    let tick = await ticks.next()
    #expect(tick.map { $0.attoseconds % Duration.nanoseconds(3).attoseconds } == 0)
    #expect(tick.map { $0 > .seconds(1_000_000_000) } == true)
  }
}
