import Composable
import Dependencies

/// A feature for tests of the test store: a counter, a timer, and a request.
struct Search: Reducer {
  struct State: Equatable {
    var count = 0
    var results: [String] = []
    var isLoading = false
  }

  enum Action: Equatable, Sendable {
    case increment
    case load
    case loaded(TaskResult<[String]>)
    case startTimer
    case stopTimer
    case tick
    case announce(String)
    case announced
  }

  var request: @Sendable () async throws -> [String] = { [] }
  @Dependency(\.continuousClock) var clock
  @Dependency(\.date) var date

  private enum TimerID {}

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .increment:
        state.count += 1
        return .none
      case .load:
        state.isLoading = true
        return .run { send in await send(.loaded(TaskResult(catching: request))) }
      case .loaded(.success(let results)):
        state.isLoading = false
        state.results = results
        return .none
      case .loaded(.failure):
        state.isLoading = false
        return .none
      case .startTimer:
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.tick) }
        }
        .cancellable(id: TimerID.self)
      case .stopTimer:
        return .cancel(id: TimerID.self)
      case .tick:
        state.count += 10
        return .none
      case .announce:
        return .send(.announced)
      case .announced:
        return .run { _ in _ = date.now }
      }
    }
  }
}

extension Search.Action: CasePathable {
  struct AllCasePaths: Sendable {
    var loaded: AnyCasePath<Search.Action, TaskResult<[String]>> {
      AnyCasePath(embed: Search.Action.loaded) { if case .loaded(let result) = $0 { result } else { nil } }
    }
    var tick: AnyCasePath<Search.Action, Void> {
      AnyCasePath(embed: { .tick }) { if case .tick = $0 { () } else { nil } }
    }
  }

  static var allCasePaths: AllCasePaths { AllCasePaths() }
}
