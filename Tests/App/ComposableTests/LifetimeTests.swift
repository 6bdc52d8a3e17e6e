import Composable
import Dependencies
import Observation
import Testing

@MainActor
@Suite struct `The life of an effect` {
  enum Action: Sendable { case start, stop, done }

  private func store(
    clock: TestClock, _ change: @escaping @Sendable (Effect<Action>) -> Effect<Action>
  ) -> SettledStore<Int, Action> {
    SettledStore(
      0, clock: clock,
      reducer: Reduce { state, action in
        switch action {
        case .start:
          return change(
            .run { send in
              try await clock.sleep(for: .seconds(1))
              await send(.done)
            })
        case .stop: return .cancel(id: "id")
        case .done:
          state += 1
          return .none
        }
      })
  }

  @Test func `that is uncancellable continues when its id and its action are cancelled`() async {
    let clock = TestClock()
    let store = store(clock: clock) { $0.uncancellable().cancellable(id: "id") }
    let task = store.store.send(.start)
    await store.scheduler.settle()
    await store.send(.stop)
    let cancelled = Task { await task.cancel() }
    await store.scheduler.settle()
    #expect(!task.isFinished)
    await clock.advance(by: .seconds(1))
    await cancelled.value
    #expect(store.state == 1)
  }

  @Test func `that is uncancellable is awaited, and outlives the waiting task`() async {
    let clock = TestClock()
    let store = store(clock: clock) { $0.uncancellable() }
    let waiting = Task { await store.store.send(.start).finish() }
    await Task.yield()
    await store.scheduler.settle()
    waiting.cancel()
    await store.scheduler.settle()
    await clock.advance(by: .seconds(1))
    await waiting.value
    #expect(store.state == 1)
  }

  @Test func `that is uncancellable ends with the effects of its store`() async {
    let clock = TestClock()
    let store = store(clock: clock) { $0.uncancellable() }
    await store.send(.start)
    store.store.cancelEffects()
    await store.scheduler.settle()
    #expect(store.store.effectsInFlight == 0)
    #expect(store.state == 0)
  }

  @Test func `that is detached is neither awaited nor cancelled with its action`() async {
    let clock = TestClock()
    let store = store(clock: clock) { $0.detached() }
    let task = store.store.send(.start)
    await task.finish()
    await task.cancel()
    #expect(store.store.effectsInFlight == 1)
    await store.scheduler.settle()
    await clock.advance(by: .seconds(1))
    #expect(store.state == 1)
  }

  @Test func `that is detached is cancelled by its id`() async {
    let clock = TestClock()
    let store = store(clock: clock) { $0.detached().cancellable(id: "id") }
    await store.send(.start)
    await store.send(.stop)
    #expect(store.store.effectsInFlight == 0)
  }
}

@MainActor
@Suite struct `A store that is watched` {
  @Test func `reports a change even if the observer sent an action while reading`() {
    let store = Store(initialState: 0) {
      Reduce<Int, Int> { state, action in
        state += action
        return .none
      }
    }
    let changes = Collected<Void>()
    withObservationTracking {
      _ = store.state
      store.send(1)
    } onChange: {
      changes.append(())
    }
    store.send(1)
    #expect(changes.values.count == 1)
  }

  @Test func `shows the unchanged state to a reducer that reads it`() {
    final class Holder: @unchecked Sendable {
      // Only used on the main actor.
      var store: Store<Int, Int>?
      var seen: [Int] = []
    }
    let holder = Holder()
    let store = Store<Int, Int>(initialState: 5) {
      Reduce { state, action in
        state += action
        MainActor.assumeIsolated { holder.seen.append(holder.store?.state ?? -1) }
        return .none
      }
    }
    holder.store = store
    store.send(1)
    #expect(holder.seen == [5])
    #expect(store.state == 6)
    holder.store = nil
  }
}
