import Composable
import Dependencies
import Observation
import Testing

@MainActor
@Suite struct `A store` {
  enum Action: Sendable { case increment, twice, ask, answer(Int) }

  private func counter() -> Store<Int, Action> {
    Store(initialState: 0) {
      Reduce { state, action in
        switch action {
        case .increment:
          state += 1
          return .none
        case .twice: return .merge(.send(.increment), .send(.increment))
        case .ask: return .run { [state] send in await send(.answer(state + 41)) }
        case .answer(let answer):
          state = answer
          return .none
        }
      }
    }
  }

  @Test func `has changed when send returns`() {
    let store = counter()
    store.send(.increment)
    #expect(store.state == 1)
  }

  @Test func `has handled the actions of send effects when send returns`() {
    let store = counter()
    store.send(.twice)
    #expect(store.state == 2)
  }

  @Test func `is finished when its effects and those of their actions have ended`() async {
    let store = counter()
    store.send(.increment)
    await store.send(.ask).finish()
    #expect(store.state == 42)
    #expect(store.effectsInFlight == 0)
  }

  @Test func `notifies an observer of the next change, once`() {
    let store = counter()
    let changes = Collected<Void>()
    withObservationTracking {
      _ = store.state
    } onChange: {
      changes.append(())
    }
    store.send(.increment)
    store.send(.increment)
    #expect(changes.values.count == 1)
  }

  @Test func `handles an action that is sent during another after that one`() {
    final class Holder: @unchecked Sendable {
      // Only used on the main actor.
      var store: Store<[String], String>?
    }
    let holder = Holder()
    let store = Store<[String], String>(initialState: []) {
      Reduce { state, action in
        if action == "first" { MainActor.assumeIsolated { _ = holder.store?.send("second") } }
        state.append(action)
        return .none
      }
    }
    holder.store = store
    store.send("first")
    #expect(store.state == ["first", "second"])
    holder.store = nil
  }

  @Test func `gives its feature the dependencies that it was made with, in effects too`() async {
    struct Feature: Reducer, Sendable {
      @Dependency(\.uuid) var uuid
      @Dependency(\.date) var date
      var body: some Reducer<[String], Action> {
        Reduce { state, action in
          guard case .answer = action else {
            return .run { send in await send(.answer(Int(date.now.timeIntervalSince1970))) }
          }
          state.append("\(uuid())")
          return .none
        }
      }
    }
    let store = Store(initialState: [String]()) {
      Feature()
    } withDependencies: {
      $0.uuid = .incrementing
      $0.date = .constant(.init(timeIntervalSince1970: 7))
    }
    await store.send(.ask).finish()
    store.send(.answer(1))
    #expect(store.state.map { $0.suffix(1) } == ["0", "1"])
  }

  @Test func `cancels its effects when it is released`() async {
    let (started, ended) = (Gate(), Gate())
    var store: Store<Int, Action>? = Store(initialState: 0) {
      Reduce { _, _ in
        .run { _ in
          started.open()
          try? await ContinuousClock().sleep(for: .seconds(3600))
          #expect(Task.isCancelled)
          ended.open()
        }
      }
    }
    store?.send(.ask)
    await started.wait()
    store = nil
    await ended.wait()
  }

  @Test func `drops an action of a cancelled effect, and warns`() async {
    let gate = Gate()
    let store = SettledStore(
      0,
      reducer: Reduce<Int, Action> { state, action in
        if case .answer(let answer) = action { state = answer }
        guard case .ask = action else { return .none }
        return .run { send in
          await gate.wait()
          await send(.answer(1))
        }
      })
    let issues = await issues {
      let task = store.store.send(.ask)
      store.store.cancelEffects()
      gate.open()
      await task.finish()
    }
    #expect(store.state == 0)
    #expect(issues.map(\.severity) == [.warning])
    #expect(issues.first?.message == "an effect sent “Action.answer” after it was cancelled; it is dropped")
  }

  @Test func `cancels with the task of a send only that send's effects`() async {
    let clock = TestClock()
    let store = SettledStore(
      [Int](), clock: clock,
      reducer: Reduce<[Int], Action> { state, action in
        if case .answer(let answer) = action { state.append(answer) }
        guard case .ask = action else { return .none }
        return .run { [number = state.count] send in
          try await clock.sleep(for: .seconds(1))
          await send(.answer(number))
        }
      })
    let first = store.store.send(.ask)
    store.store.send(.answer(9))
    let second = store.store.send(.ask)
    await first.cancel()
    await store.scheduler.settle()
    await clock.advance(by: .seconds(1))
    await second.finish()
    #expect(store.state == [9, 1])
    #expect(store.store.effectsInFlight == 0)
  }

  @Test func `stops a reducer that sends an action in response to itself, and names the action`() async {
    let store = Store(initialState: 0) {
      Reduce<Int, Action> { state, _ in
        state += 1
        return .send(.answer(4711))
      }
    }
    let issues = await issues {
      store.send(.increment)
      store.send(.increment)
    }
    #expect(store.state > 2000)
    #expect(issues.count == 2, "it works on after the first time")
    #expect(issues.first?.message.contains("“Action.answer”") == true)
    #expect(issues.first?.message.contains("4711") == false)
  }
}
