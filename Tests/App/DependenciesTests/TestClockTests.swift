import Dependencies
import Testing

@Suite struct `A clock that a test sets` {
  private let clock = TestClock()
  private let scheduler = EffectScheduler()

  @Test func `Sleepers are woken by deadline, then by arrival`() async throws {
    let log = Log<String>()
    for (name, seconds) in [("b", 2), ("a", 1), ("c", 2), ("d", 4)] {
      _ = effect(on: scheduler) { [clock] in
        try await clock.sleep(for: .seconds(seconds))
        log.add("\(name) at \(clock.now.offset)")
      }
    }
    await scheduler.settle()
    await clock.advance(by: .seconds(3))
    #expect(log.entries == ["a at 1.0 seconds", "b at 2.0 seconds", "c at 2.0 seconds"])
    #expect(clock.now.offset == .seconds(3))
    await clock.advance(to: VirtualInstant(offset: .seconds(4)))
    #expect(log.entries.last == "d at 4.0 seconds")
  }

  @Test func `A task that sleeps again during an advance is woken again`() async throws {
    let log = Log<Duration>()
    let timer = effect(on: scheduler) { [clock] in
      for await tick in clock.timer(interval: .seconds(1)) { log.add(tick) }
    }
    await scheduler.settle()
    await clock.advance(by: .seconds(1000))
    #expect(log.entries == (1...1000).map { .seconds($0) })
    timer.cancel()
    _ = await timer.result
  }

  @Test func `A past deadline does not sleep, and time does not go back`() async throws {
    await clock.advance(by: .seconds(5))
    try await clock.sleep(until: VirtualInstant(offset: .seconds(5)))
    await clock.advance(to: VirtualInstant(offset: .seconds(1)))
    #expect(clock.now.offset == .seconds(5))
  }

  @Test func `A cancelled sleeper is resumed at once`() async throws {
    let sleeper = effect(on: scheduler) { [clock] in try await clock.sleep(for: .seconds(1)) }
    await scheduler.settle()
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    await clock.advance(by: .seconds(2))
  }

  @Test func `An already cancelled task does not sleep`() async {
    let sleeper = Task { [clock] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test func `Cancelling while a task falls asleep loses no task`() async {
    for _ in 0..<2000 {
      let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
      sleeper.cancel()
      await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
  }

  @Test func `Running it ends when no task sleeps any more`() async throws {
    let sleeper = effect(on: scheduler) { [clock] in
      for _ in 0..<3 { try await clock.sleep(for: .seconds(20)) }
    }
    await scheduler.settle()
    await clock.run()
    #expect(clock.now.offset == .seconds(60))
    try await sleeper.value
  }

  @Test func `An endless run is reported`() async {
    let timer = effect(on: scheduler) { [clock] in
      for await _ in clock.timer(interval: .seconds(1)) {}
    }
    await scheduler.settle()
    let reported = await issues { await clock.run(timeout: .seconds(10)) }
    #expect(reported.map(\.message) == ["1 task still sleeps on a TestClock that has run for 10.0 seconds."])
    timer.cancel()
    _ = await timer.result
  }
}
