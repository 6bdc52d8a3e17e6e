import Dependencies
import Synchronization
import SystemKit
import Testing

@Suite struct `The scheduler of effects` {
  private let scheduler = EffectScheduler()

  @Test(.timeLimit(.minutes(10))) func `A scheduler without jobs is settled at once`() async {
    await scheduler.settle()
  }

  @Test @MainActor func `It is settled when every effect waits, however busy the machine is`() async throws {
    let load = Load()
    defer { load.stop() }
    for _ in 0..<1000 {
      let scheduler = EffectScheduler()
      let model = Model()
      let gate = TestClock()
      let task = effect(on: scheduler) {
        await Task.yield()
        await model.add(1)
        async let left: Void = model.add(2)
        async let right: Void = model.add(3)
        _ = await (left, right)
        try await gate.sleep(for: .seconds(1))
        await model.add(4)
      }
      await scheduler.settle()
      #expect(model.numbers.count == 3)
      await gate.advance(by: .seconds(1))
      #expect(model.numbers.count == 4)
      try await task.value
    }
  }

  @Test @MainActor func `An effect that the main actor starts in response to another is awaited`() async {
    for _ in 0..<1000 {
      let scheduler = EffectScheduler()
      let model = Model()
      _ = effect(on: scheduler) {
        await model.answer(depth: 5, on: scheduler)
      }
      await scheduler.settle()
      #expect(model.numbers == [5, 4, 3, 2, 1, 0])
    }
  }

  @Test func `The code of an actor that an effect calls runs on the scheduler`() async throws {
    actor Counter {
      var count = 0
      func up() { count += 1 }
    }
    let counter = Counter()
    for _ in 0..<500 {
      let task = effect(on: scheduler) {
        await counter.up()
        await counter.up()
      }
      await scheduler.settle()
      #expect(scheduler.isIdle)
      try await task.value
    }
    #expect(await counter.count == 1000)
  }

  @Test func `Effects run one at a time`() async throws {
    let running = Running()
    let tasks = (0..<100).map { _ in
      effect(on: scheduler) {
        running.begin()
        running.end()
        await Task.yield()
        running.begin()
        running.end()
      }
    }
    for task in tasks { try await task.value }
    #expect(running.most == 1)
  }

  @Test(.timeLimit(.minutes(10))) func `An effect that settles its own scheduler does not wait for itself`()
    async throws
  {
    try await effect(on: scheduler) { [scheduler] in await scheduler.settle() }.value
  }

  @Test func `Effects that are never idle are reported, and no longer awaited`() async {
    let scheduler = EffectScheduler()
    // It ends eventually; until then it takes half a processor from the other tests.
    let restless = Task(executorPreference: scheduler) {
      for _ in 0..<300_000 where !Task.isCancelled { await Task.yield() }
    }
    let messages = Lock<[String]>([])
    await IssueReporting.withReporter { issue in
      messages.withLock { $0.append(issue.message) }
    } operation: {
      await scheduler.settle()
    }
    restless.cancel()
    await restless.value
    #expect(messages.withLock { $0 }.first?.hasPrefix("the effects are not idle after 100000 steps") == true)
  }

  @Test func `Many tasks can wait for it at once`() async {
    for _ in 0..<50 { _ = effect(on: scheduler) { await Task.yield() } }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { [scheduler] in await scheduler.settle() } }
    }
    #expect(scheduler.isIdle)
  }
}

/// Stands in for a store: it answers on the main actor.
@MainActor
private final class Model {
  var numbers: [Int] = []

  func add(_ number: Int) {
    numbers.append(number)
  }

  func answer(depth: Int, on scheduler: EffectScheduler) {
    numbers.append(depth)
    guard depth > 0 else { return }
    _ = effect(on: scheduler) { await self.answer(depth: depth - 1, on: scheduler) }
  }
}

/// Counts the tasks between `begin` and `end`.
private final class Running: Sendable {
  private let counts = Lock((now: 0, most: 0))

  var most: Int { counts.withLock { $0.most } }

  func begin() {
    counts.withLock { counts in
      counts.now += 1
      counts.most = max(counts.most, counts.now)
    }
  }

  func end() {
    counts.withLock { $0.now -= 1 }
  }
}

/// Keeps all processors and the cooperative threads busy.
private final class Load: Sendable {
  private let isStopped = Atomic<Bool>(false)

  init() {
    for _ in 0..<2 {
      Task.detached { [self] in
        while !isStopped.load(ordering: .relaxed) {
          await Task.yield()
        }
      }
    }
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
  }
}
