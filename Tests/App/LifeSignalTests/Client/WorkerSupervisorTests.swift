import Dependencies
import ProgramTesting
import SystemKit
import Testing

@testable import LifeSignal

@Suite(.timeLimit(.minutes(5))) struct `The supervised worker` {
  private let failure = LifeSignalError(.notSaved, "the store is away")

  @Test func `a failed one restarts, with backoff from one to thirty seconds`() async {
    let clock = HastyClock()
    let events = Events()
    await Task { [failure] in
      await WorkerSupervisor(
        clock: clock,
        work: { _ throws(LifeSignalError) in
          if clock.pauses.count == 8 { return cancelCurrentTask() }
          throw failure
        }, onProblem: events.add
      ).run()
    }.value
    #expect(clock.pauses == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    #expect(events.all == Array(repeating: failure, count: 8))
  }

  @Test func `a recovery is reported once, and long work resets the backoff`() async {
    let clock = HastyClock()
    let events = Events()
    await Task { [failure] in
      await WorkerSupervisor(
        clock: clock,
        work: { began throws(LifeSignalError) in
          switch clock.pauses.count {
          case 2:
            began()
            began()
            clock.pass(.seconds(60))
          case 4: return cancelCurrentTask()
          default: break
          }
          throw failure
        }, onProblem: events.add
      ).run()
    }.value
    #expect(clock.pauses == [1, 2, 1, 2].map { .seconds($0) })
    #expect(events.all == [failure, failure, nil, failure, failure])
  }

  @Test func `a cancelled one ends during its pause, and reports no problem`() async {
    let told = AsyncStream.makeStream(of: LifeSignalError?.self)
    let task = Task { [failure] in
      await WorkerSupervisor(
        clock: TestClock(), work: { _ throws(LifeSignalError) in throw failure },
        onProblem: { told.continuation.yield($0) }
      ).run()
    }
    #expect(await told.stream.first { _ in true } == .some(failure))
    task.cancel()
    await task.value
    let events = Events()
    await Task { [failure] in
      await WorkerSupervisor(
        clock: HastyClock(),
        work: { _ throws(LifeSignalError) in
          cancelCurrentTask()
          throw failure
        }, onProblem: events.add
      ).run()
    }.value
    #expect(events.all.isEmpty)
  }

  @Test func `an unreadable store is reported, and its items are sent once it opens`() async throws {
    let live = try await LiveServer()
    try await live.signIn()
    try await live.addResponder()
    _ = try await live.alerts.activateAlert()
    let client = try LifeSignalClient.open(home: live.device.home)
    let mend = try live.device.breakStore()
    let told = AsyncStream.makeStream(of: LifeSignalError?.self)
    let task = Task { await client.keepSyncing { told.continuation.yield($0) } }
    defer { task.cancel() }
    var problems = told.stream.makeAsyncIterator()
    #expect(await problems.next()??.code == .notSaved)
    try mend()
    while let problem = await problems.next(), problem != nil {}
    #expect(try live.receiver.next().contains("needs help"))
  }
}

private func cancelCurrentTask() { withUnsafeCurrentTask { $0?.cancel() } }

/// A clock that never waits, and records the requested times.
private final class HastyClock: Clock {
  private let state = Lock((now: VirtualInstant(), pauses: [Duration]()))

  var now: VirtualInstant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }
  var pauses: [Duration] { state.withLock { $0.pauses } }

  func pass(_ duration: Duration) { state.withLock { $0.now = $0.now.advanced(by: duration) } }

  func sleep(until deadline: VirtualInstant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    state.withLock {
      $0.pauses.append($0.now.duration(to: deadline))
      $0.now = deadline
    }
  }
}

private final class Events: Sendable {
  private let events = Lock<[LifeSignalError?]>([])
  func add(_ event: LifeSignalError?) { events.withLock { $0.append(event) } }
  var all: [LifeSignalError?] { events.withLock { $0 } }
}
