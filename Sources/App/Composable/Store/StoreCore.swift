import Dependencies
import Observation

/// The state of a root store, and the queue of the actions that it answers.
@MainActor
final class StoreCore<State, Action: Sendable>: Observable {
  let effects: EffectRunner<Action>
  private let reduction: Reduction<State, Action>
  private let recorder: StoreRecorder<State, Action>?
  private(set) var state: State
  private var isReducing = false
  private var waiting: [Waiting] = []
  /// Whether there is any; asking a generic array costs a tenth of `send`.
  private var isAnyWaiting = false
  private let registrar = ObservationRegistrar()
  /// Made once: a key path of a generic type costs a microsecond to make.
  private let path: KeyPath<StoreCore, State>
  /// Whether the state was ever read from outside: an observer may wait for its next change.
  private var isObserved = false

  /// An action that was sent while another was being answered.
  private struct Waiting {
    let action: Action
    let origin: ActionOrigin
    let flight: Flight
  }

  init(
    state: State, reduction: @escaping Reduction<State, Action>, effects: EffectRunner<Action>,
    recorder: StoreRecorder<State, Action>?
  ) {
    self.state = state
    self.reduction = reduction
    self.effects = effects
    self.recorder = recorder
    path = \.state
    effects.connect { [self] action, flight in send(action, from: .effect, in: flight) }
  }

  var observedState: State {
    registrar.access(self, keyPath: path)
    isObserved = true
    return state
  }

  /// Answers `action`, or queues it where another is being answered. Nil where no effect followed.
  @discardableResult
  func send(_ action: Action, from origin: ActionOrigin = .sent, in flight: Flight? = nil) -> Flight? {
    guard !isReducing else {
      let flight = flight ?? Flight(effects.tasks)
      waiting.append(Waiting(action: action, origin: origin, flight: flight))
      isAnyWaiting = true
      return flight
    }
    isReducing = true
    let result = answer(action, origin, flight)
    if isAnyWaiting { answerWaiting() }
    isReducing = false
    return result
  }

  private func answer(_ action: Action, _ origin: ActionOrigin, _ flight: Flight?) -> Flight? {
    // On a copy, so that a reducer which reads the store, as it should not, finds the state as it was.
    var next = state
    let effect = reduction(&next, action)
    if isObserved {
      registrar.withMutation(of: self, keyPath: path) { state = next }
    } else {
      state = next
    }
    recorder?.reduced(action, origin, state)
    guard let node = effect.node else { return flight }
    let flight = flight ?? Flight(effects.tasks)
    effects.start(node, in: flight)
    return flight
  }

  private func answerWaiting() {
    var count = 0
    var next = 0
    while next < waiting.count {
      let item = waiting[next]
      next += 1
      count += 1
      if count > Self.actionLimit {
        reportEndlessActions(item.action)
        // Of the chain itself; what others sent meanwhile is answered.
        waiting = waiting[next...].filter { $0.flight !== item.flight }
        (next, count) = (0, 0)
        continue
      }
      _ = answer(item.action, item.origin, item.flight)
      if next == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        next = 0
      }
    }
    waiting.removeAll(keepingCapacity: true)
    isAnyWaiting = false
  }

  /// More actions than this, all following one without any waiting, have no end.
  private static var actionLimit: Int { 10_000 }

  private func reportEndlessActions(_ action: Action) {
    IssueReporting.report(
      "\(Self.actionLimit) actions followed one another without end; the last is “\(actionName(action))”: the reducer "
        + "answers it, directly or through others, with itself. The rest of the chain is dropped.")
  }
}
