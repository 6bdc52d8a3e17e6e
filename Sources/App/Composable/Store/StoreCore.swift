import Dependencies

/// The state of a root store, and the queue of its actions.
@MainActor
final class StoreCore<State, Action: Sendable> {
  let effects: EffectRunner<Action>
  private let reduction: Reduction<State, Action>
  private let recorder: StoreRecorder<State, Action>?
  private(set) var state: State
  private var isReducing = false
  private var waiting: [Waiting] = []
  /// Whether `waiting` has elements; asking a generic array costs a tenth of `send`.
  private var isAnyWaiting = false
  private let changes = StateChanges()
  /// Whether the state was ever read from outside: an observer may wait for its next change.
  private var isObserved = false

  /// An action that was sent while another was being handled.
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
    effects.connect { [self] action, flight in send(action, from: .effect, in: flight) }
  }

  var observedState: State {
    changes.access()
    isObserved = true
    return state
  }

  /// Handles `action`, or queues it while another is being handled. Returns nil if no effect followed.
  @discardableResult
  func send(_ action: Action, from origin: ActionOrigin = .sent, in flight: Flight? = nil) -> Flight? {
    guard !isReducing else { return queue(action, from: origin, in: flight) }
    isReducing = true
    let result = handle(action, origin, flight)
    if isAnyWaiting { handleWaiting() }
    isReducing = false
    return result
  }

  /// Not inlined: `send` would look up the generic type `Waiting` in each call, which costs more than all else that it does.
  @inline(never)
  private func queue(_ action: Action, from origin: ActionOrigin, in flight: Flight?) -> Flight {
    let flight = flight ?? Flight(effects.tasks)
    waiting.append(Waiting(action: action, origin: origin, flight: flight))
    isAnyWaiting = true
    return flight
  }

  private func handle(_ action: Action, _ origin: ActionOrigin, _ flight: Flight?) -> Flight? {
    // The reducer works on a copy, so that one that wrongly reads the store sees the unchanged state.
    var next = state
    let effect = reduction(&next, action)
    if isObserved {
      changes.willChange()
      state = next
      changes.didChange()
    } else {
      state = next
    }
    recorder?.reduced(action, origin, state)
    guard let node = effect.node else { return flight }
    let flight = flight ?? Flight(effects.tasks)
    effects.start(node, in: flight)
    return flight
  }

  @inline(never)
  private func handleWaiting() {
    var count = 0
    var next = 0
    while next < waiting.count {
      let item = waiting[next]
      next += 1
      count += 1
      if count > Self.actionLimit {
        reportEndlessActions(item.action)
        // Drops only the rest of this chain; actions that others sent meanwhile are still handled.
        waiting = waiting[next...].filter { $0.flight !== item.flight }
        (next, count) = (0, 0)
        continue
      }
      _ = handle(item.action, item.origin, item.flight)
      if next == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        next = 0
      }
    }
    waiting.removeAll(keepingCapacity: true)
    isAnyWaiting = false
  }

  /// A chain of more actions than this, without any waiting, counts as endless.
  private static var actionLimit: Int { 10_000 }

  private func reportEndlessActions(_ action: Action) {
    IssueReporting.report(
      "\(Self.actionLimit) actions followed one another without a pause; the last is “\(actionName(action))”. "
        + "The reducer answers it, directly or through others, with itself. The rest of the chain is dropped.")
  }
}
