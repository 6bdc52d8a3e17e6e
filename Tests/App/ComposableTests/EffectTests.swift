import Composable
import Dependencies
import Testing

@MainActor
@Suite struct `An effect` {
  enum Action: Sendable, Equatable { case start, stop, tick, said(String) }
  private struct Failure: Error {}

  /// A store that starts `effect` at `start` and records its output.
  private func store(
    clock: TestClock = TestClock(), _ effect: @escaping @Sendable () -> Effect<Action>
  ) -> SettledStore<[String], Action> {
    SettledStore(
      [], clock: clock,
      reducer: Reduce { state, action in
        switch action {
        case .start: return effect()
        case .stop: return .cancel(id: "id")
        case .tick:
          state.append("tick")
          return .none
        case .said(let text):
          state.append(text)
          return .none
        }
      })
  }

  private nonisolated static func say(_ text: String) -> Effect<Action> {
    .run { send in await send(.said(text)) }
  }

  @Test func `that is none starts nothing`() async {
    let store = store { .none }
    #expect(store.store.send(.start).isFinished)
  }

  @Test func `runs outside the main actor`() async {
    let store = store {
      .run { send in
        let isMain = EffectScheduler.current == nil
        await send(.said("\(isMain)"))
      }
    }
    await store.send(.start)
    #expect(store.state == ["false"])
  }

  @Test func `that throws is caught by its handler`() async {
    let store = store {
      .run { _ in
        throw Failure()
      } catch: { error, send in
        await send(.said("\(error)"))
      }
    }
    await store.send(.start)
    #expect(store.state == ["Failure()"])
  }

  @Test func `that throws without a handler is reported, without the error's text`() async {
    let store = store { .run { _ in throw Failure() } }
    let issues = await issues { await store.send(.start) }
    #expect(issues.map(\.severity) == [.error])
    #expect(issues.first?.message.contains("an effect threw Failure") == true)
  }

  @Test func `that ends with a cancellation is not reported`() async {
    let store = store { .run { _ in throw CancellationError() } }
    #expect(await issues { await store.send(.start) }.isEmpty)
  }

  @Test func `merges with others, all at once`() async {
    let gate = Gate()
    let store = store {
      .merge(
        .run { send in
          await gate.wait()
          await send(.said("late"))
        }, Self.say("early"))
    }
    await store.send(.start)
    #expect(store.state == ["early"])
    gate.open()
    await store.scheduler.settle()
    #expect(store.state == ["early", "late"])
  }

  @Test func `follows another in a concatenation when that one has ended`() async {
    let gate = Gate()
    let store = store {
      .concatenate(
        .run { send in
          await gate.wait()
          await send(.said("first"))
        }, Self.say("second"), .send(.said("third")))
    }
    await store.send(.start)
    #expect(store.state == [])
    gate.open()
    await store.scheduler.settle()
    #expect(store.state == ["first", "second", "third"])
  }

  @Test func `of a nested concatenation keeps the order`() async {
    let store = store {
      .concatenate(
        .concatenate(Self.say("1"), .merge(Self.say("2"), .none)), .concatenate(.send(.said("3")), Self.say("4")),
        Self.say("5"))
    }
    await store.send(.start)
    #expect(store.state == ["1", "2", "3", "4", "5"])
  }

  @Test func `of a concatenation does not start after a cancellation`() async {
    let gate = Gate()
    let store = store {
      .concatenate(.run { _ in await gate.wait() }, Self.say("never")).cancellable(id: "id")
    }
    await store.send(.start)
    await store.send(.stop)
    gate.open()
    await store.scheduler.settle()
    #expect(store.state == [])
    #expect(store.store.effectsInFlight == 0)
  }

  @Test func `is cancelled by its id, and others are not`() async {
    let clock = TestClock()
    let store = store(clock: clock) {
      @Sendable func ticking(_ text: String) -> Effect<Action> {
        .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.said(text)) }
        }
      }
      return .merge(ticking("a").cancellable(id: "id"), ticking("b").cancellable(id: "other"))
    }
    await store.send(.start)
    await clock.advance(by: .seconds(1))
    await store.send(.stop)
    await clock.advance(by: .seconds(1))
    #expect(store.state.sorted() == ["a", "b", "b"])
    store.store.cancelEffects()
  }

  @Test func `replaces one in flight on demand`() async {
    let clock = TestClock()
    let store = store(clock: clock) {
      .run { send in
        try await clock.sleep(for: .seconds(1))
        await send(.tick)
      }.cancellable(id: "id", cancelInFlight: true)
    }
    await store.send(.start)
    await clock.advance(by: .milliseconds(900))
    await store.send(.start)
    await clock.advance(by: .milliseconds(900))
    #expect(store.state == [])
    await clock.advance(by: .milliseconds(100))
    #expect(store.state == ["tick"])
  }

  @Test func `can have a type as its id`() async {
    enum TimerID {}
    let clock = TestClock()
    let store = SettledStore(
      0, clock: clock,
      reducer: Reduce<Int, Action> { state, action in
        if action == .tick { state += 1 }
        if action == .stop { return .cancel(id: TimerID.self) }
        guard action == .start else { return .none }
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.tick) }
        }.cancellable(id: TimerID.self)
      })
    await store.send(.start)
    await clock.advance(by: .seconds(2))
    await store.send(.stop)
    await clock.advance(by: .seconds(2))
    #expect(store.state == 2)
    #expect(store.store.effectsInFlight == 0)
  }

  @Test func `maps into its parent's actions, for every kind of effect`() async {
    let clock = TestClock()
    let store = store(clock: clock) {
      let child: Effect<String> = .concatenate(
        .send("a"), .merge(.run { send in await send("b") }),
        Effect<String>.run { send in await send("c") }.cancellable(id: "child"), .cancel(id: "nothing"),
        Effect<String>.send("d").throttle(id: "throttle", for: .seconds(1), clock: clock))
      return child.map { .said($0) }
    }
    await store.send(.start)
    #expect(store.state == ["a", "b", "c", "d"])
  }
}
