import Composable
import Dependencies
import Testing

@MainActor
@Suite struct `Effects in time` {
  enum Action: Sendable { case typed(String), found(String), stop }

  private func store(
    clock: TestClock, _ effect: @escaping @Sendable (String) -> Effect<Action>
  ) -> SettledStore<[String], Action> {
    SettledStore(
      [], clock: clock,
      reducer: Reduce { state, action in
        switch action {
        case .typed(let text): return effect(text)
        case .stop: return .cancel(id: "id")
        case .found(let text):
          state.append(text)
          return .none
        }
      })
  }

  @Test func `debounced start after the pause`() async {
    let clock = TestClock()
    let store = store(clock: clock) {
      .send(.found($0)).debounce(id: "id", for: .milliseconds(300), clock: clock)
    }
    for text in ["h", "he", "hel"] {
      await store.send(.typed(text))
      await clock.advance(by: .milliseconds(299))
    }
    #expect(store.state == [])
    await clock.advance(by: .milliseconds(1))
    #expect(store.state == ["hel"])
    #expect(store.store.effectsInFlight == 0)
  }

  @Test func `debounced can be cancelled`() async {
    let clock = TestClock()
    let store = store(clock: clock) {
      .send(.found($0)).debounce(id: "id", for: .milliseconds(300), clock: clock)
    }
    await store.send(.typed("h"))
    await store.send(.stop)
    await clock.advance(by: .seconds(1))
    #expect(store.state == [])
  }

  @Test(arguments: [true, false]) func `throttled start at once, then once an interval`(latest: Bool) async {
    let clock = TestClock()
    let store = store(clock: clock) {
      .send(.found($0)).throttle(id: "id", for: .milliseconds(100), clock: clock, latest: latest)
    }
    for text in ["1", "2", "3"] { await store.send(.typed(text)) }
    #expect(store.state == ["1"])
    await clock.advance(by: .milliseconds(100))
    #expect(store.state == ["1", latest ? "3" : "2"])
    await store.send(.typed("4"))
    #expect(store.state.count == 2)
    await clock.advance(by: .milliseconds(100))
    #expect(store.state.last == "4")
    await clock.advance(by: .milliseconds(100))
    await store.send(.typed("5"))
    #expect(store.state.last == "5")
    #expect(store.store.effectsInFlight == 0)
  }

  @Test func `throttled and cancelled drop the waiting one, and not later ones`() async {
    let clock = TestClock()
    let store = store(clock: clock) {
      .send(.found($0)).throttle(id: "id", for: .milliseconds(100), clock: clock)
    }
    await store.send(.typed("1"))
    await store.send(.typed("2"))
    await store.send(.stop)
    await clock.advance(by: .milliseconds(200))
    #expect(store.state == ["1"])
    await store.send(.typed("3"))
    #expect(store.state == ["1", "3"])
  }

  @Test(arguments: ["outer", "flight"]) func `throttled and cancelled from outside start nothing`(by: String) async {
    let clock = TestClock()
    let store = store(clock: clock) {
      .send(.found($0)).throttle(id: "throttle", for: .milliseconds(100), clock: clock).cancellable(id: "id")
    }
    await store.send(.typed("1"))
    let task = store.store.send(.typed("2"))
    await store.scheduler.settle()
    if by == "outer" { await store.send(.stop) } else { await task.cancel() }
    #expect(store.store.effectsInFlight == 0)
    await clock.advance(by: .milliseconds(200))
    #expect(store.state == ["1"])
  }

  @Test func `throttled replace one another, no matter who sent them`() async {
    let clock = TestClock()
    let store = store(clock: clock) {
      .send(.found($0)).throttle(id: "throttle", for: .milliseconds(100), clock: clock)
    }
    await store.send(.typed("1"))
    let second = store.store.send(.typed("2"))
    await store.send(.typed("3"))
    await second.cancel()
    await clock.advance(by: .milliseconds(100))
    #expect(store.state == ["1", "3"])
  }
}
