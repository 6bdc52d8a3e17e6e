import Composable
import Dependencies
import Testing

/// The examples of the document on effect management, word for word.
struct ManagedEffects: Reducer, Sendable {
  struct State: Equatable, Sendable {
    var count = 0
    var numberFact: String?
    var error: String?
    var isLoading = false
    var isThrottling = false
    var searchText = ""
    var results: [String] = []
    var user: String?
    var userData: [String] = []
    var loaded: [String] = []
    var logged: [Int] = []
  }

  enum Action: Sendable, Equatable {
    case incrementButtonTapped, numberFactButtonTapped, startTimerButtonTapped, stopTimerButtonTapped, timerTick
    case refreshButtonTapped, saveButtonTapped, load(String), processDataButtonTapped, processDataResponse(Int)
    case numberFactResponse(String), numberFactFailed(String)
    case appDidLaunch, authStateChanged(String?), userDataChanged(String)
    case searchTextChanged(String), searchDebounced(String), searchResponse([String])
    case scrollPositionChanged(Int), scrollThrottled(Int), scrollLogged(Int)
  }

  enum CancelID { case timer, authStateStream, userDataStream, search }

  let fetch: @Sendable (Int) async throws -> String
  let users: AsyncStream<String?>
  let userData: @Sendable (String) -> AsyncStream<String>
  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .incrementButtonTapped:
        state.count += 1
        return .none
      case .numberFactButtonTapped:
        return .run { [count = state.count] send in
          do {
            let fact = try await fetch(count)
            await send(.numberFactResponse(fact))
          } catch {
            await send(.numberFactFailed("\(error)"))
          }
        }
      case .numberFactResponse(let fact):
        state.numberFact = fact
        state.isLoading = false
        return .none
      case .numberFactFailed(let error):
        state.error = error
        state.isLoading = false
        return .none
      case .refreshButtonTapped:
        state.isLoading = true
        return .merge(
          .run { send in await send(.load("user")) },
          .run { send in await send(.load("items")) })
      case .saveButtonTapped:
        return .concatenate(
          .run { send in await send(.load("validated")) },
          .run { send in await send(.load("saved")) })
      case .load(let what):
        state.loaded.append(what)
        return .none
      default: return timed(&state, action)
      }
    }
    Reduce { state, action in streamed(&state, action) }
  }

  private func timed(_ state: inout State, _ action: Action) -> Effect<Action> {
    switch action {
    case .startTimerButtonTapped:
      return .run { send in
        while true {
          try await clock.sleep(for: .seconds(1))
          await send(.timerTick)
        }
      }
      .cancellable(id: CancelID.timer)
    case .stopTimerButtonTapped: return .cancel(id: CancelID.timer)
    case .timerTick:
      state.count += 1
      return .none
    case .searchTextChanged(let text):
      state.searchText = text
      return .run { send in
        try await clock.sleep(for: .milliseconds(300))
        await send(.searchDebounced(text))
      }
      .cancellable(id: CancelID.search, cancelInFlight: true)
    case .searchDebounced(let text):
      return .run { send in await send(.searchResponse([text])) }
    case .searchResponse(let results):
      state.results += results
      return .none
    case .scrollPositionChanged(let position):
      guard !state.isThrottling else { return .none }
      state.isThrottling = true
      return .run { send in
        try await clock.sleep(for: .milliseconds(100))
        await send(.scrollThrottled(position))
      }
    case .scrollThrottled(let position):
      state.isThrottling = false
      return .run { send in await send(.scrollLogged(position)) }
    case .scrollLogged(let position):
      state.logged.append(position)
      return .none
    default: return .none
    }
  }

  private func streamed(_ state: inout State, _ action: Action) -> Effect<Action> {
    switch action {
    case .appDidLaunch:
      return .run { send in
        for await user in users { await send(.authStateChanged(user)) }
      }
      .cancellable(id: CancelID.authStateStream)
    case .authStateChanged(let user):
      state.user = user
      guard let user else { return .cancel(id: CancelID.userDataStream) }
      return .run { send in
        for await data in userData(user) { await send(.userDataChanged(data)) }
      }
      .cancellable(id: CancelID.userDataStream)
    case .userDataChanged(let data):
      state.userData.append(data)
      return .none
    case .processDataButtonTapped:
      return .run { send in
        var result = 0
        for index in 0..<10_000 {
          result += index
          // Yields to other tasks of the thread pool from time to time.
          if index.isMultiple(of: 1_000) { await Task.yield() }
        }
        await send(.processDataResponse(result))
      }
    case .processDataResponse(let result):
      state.count = result
      return .none
    default: return .none
    }
  }
}

@MainActor
@Suite struct `Effects are managed as documented` {
  private struct Unknown: Error {}
  private let clock = TestClock()
  private let users = AsyncStream<String?>.makeStream()
  private let data = AsyncStream<String>.makeStream()

  private func store(
    fetch: @escaping @Sendable (Int) async throws -> String = { "\($0) is a number" }
  ) -> SettledStore<ManagedEffects.State, ManagedEffects.Action> {
    let data = data.stream
    return withDependencies {
      $0.continuousClock = clock
    } operation: {
      SettledStore(
        ManagedEffects.State(), clock: clock,
        reducer: ManagedEffects(fetch: fetch, users: users.stream, userData: { _ in data }))
    }
  }

  @Test func `state changes without effects`() async {
    let store = store()
    await store.send(.incrementButtonTapped)
    #expect(store.state.count == 1)
  }

  @Test func `an asynchronous operation sends its result or its error`() async {
    let store = store()
    await store.send(.numberFactButtonTapped)
    #expect(store.state.numberFact == "0 is a number")
    let failing = self.store { _ in throw Unknown() }
    await failing.send(.numberFactButtonTapped)
    #expect(failing.state.error == "Unknown()")
  }

  @Test func `a timer ticks until it is cancelled`() async {
    let store = store()
    await store.send(.startTimerButtonTapped)
    await clock.advance(by: .seconds(3))
    #expect(store.state.count == 3)
    await store.send(.stopTimerButtonTapped)
    await clock.advance(by: .seconds(3))
    #expect(store.state.count == 3)
    #expect(store.store.effectsInFlight == 0)
  }

  @Test func `effects are merged and concatenated`() async {
    let store = store()
    await store.send(.refreshButtonTapped)
    #expect(store.state.loaded.sorted() == ["items", "user"])
    await store.send(.saveButtonTapped)
    #expect(store.state.loaded.suffix(2) == ["validated", "saved"])
  }

  @Test func `work that yields still answers`() async {
    let store = store()
    await store.send(.processDataButtonTapped)
    #expect(store.state.count == 49_995_000)
  }

  @Test func `a stream starts another, and its end cancels that`() async {
    let store = store()
    await store.send(.appDidLaunch)
    users.continuation.yield("Ana")
    await store.scheduler.settle()
    data.continuation.yield("first")
    await store.scheduler.settle()
    #expect(store.state.user == "Ana")
    #expect(store.state.userData == ["first"])
    users.continuation.yield(nil)
    await store.scheduler.settle()
    #expect(store.state.user == nil)
    #expect(store.store.effectsInFlight == 1)
    users.continuation.finish()
    await store.scheduler.settle()
    #expect(store.store.effectsInFlight == 0)
  }

  @Test func `typing is debounced by a sleep that the next key cancels`() async {
    let store = store()
    for text in ["s", "so", "sos"] {
      await store.send(.searchTextChanged(text))
      await clock.advance(by: .milliseconds(200))
    }
    #expect(store.state.results == [])
    await clock.advance(by: .milliseconds(100))
    #expect(store.state.results == ["sos"])
  }

  @Test func `scrolling is throttled by a flag and a sleep`() async {
    let store = store()
    for position in 1...5 { await store.send(.scrollPositionChanged(position)) }
    await clock.advance(by: .milliseconds(100))
    #expect(store.state.logged == [1])
    await store.send(.scrollPositionChanged(6))
    await clock.advance(by: .milliseconds(100))
    #expect(store.state.logged == [1, 6])
  }
}
