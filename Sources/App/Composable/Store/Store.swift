public import Dependencies
public import Observation

/// Holds a feature's state, answers actions with its reducer, and runs the effects that follow.
///
/// ```swift
/// let store = Store(initialState: AlertFeature.State()) {
///   AlertFeature()
/// } withDependencies: {
///   $0.use(client)
/// }
/// store.send(.alertButtonTapped)
/// ```
///
/// It lives on the main actor. What reads `state` inside `withObservationTracking` is told of the next change. An action
/// that is sent while another is being answered waits its turn. When the store goes, its effects are cancelled.
@MainActor
@dynamicMemberLookup
public final class Store<State, Action: Sendable>: Observable {
  private enum Source {
    case root(StoreCore<State, Action>)
    case child(ChildStore<State, Action>)
  }

  private let source: Source

  /// A store of its own.
  ///
  /// - Parameters:
  ///   - initialState: how it begins.
  ///   - reducer: the feature; made once, here.
  ///   - update: changes what the feature depends on.
  public convenience init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> State, @ReducerBuilder<State, Action> reducer: () -> R,
    withDependencies update: (inout DependencyValues) -> Void = { _ in }
  ) {
    self.init(initialState: initialState(), reducer: reducer, withDependencies: update, recorder: nil, scheduler: nil)
  }

  /// As the public one, observed and with its effects on a scheduler, for a test.
  package init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> State, @ReducerBuilder<State, Action> reducer: () -> R,
    withDependencies update: (inout DependencyValues) -> Void,
    recorder: StoreRecorder<State, Action>?, scheduler: EffectScheduler?
  ) {
    source = .root(
      Dependencies.withDependencies(update) {
        StoreCore(
          state: initialState(), reduction: prepared(reducer()),
          effects: EffectRunner(
            dependencies: .current, scheduler: scheduler, taskEnded: recorder?.effectEnded),
          recorder: recorder)
      })
  }

  init(child: ChildStore<State, Action>) { source = .child(child) }

  isolated deinit {
    if case .root(let core) = source { core.effects.invalidate() }
  }

  /// How things stand. Reading it is observed.
  public var state: State {
    switch source {
    case .root(let core): core.observedState
    case .child(let child): child.state()
    }
  }

  /// A part of the state: `store.isAlertActive`.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    switch source {
    case .root(let core): core.observedState[keyPath: keyPath]
    case .child(let child): child.state()[keyPath: keyPath]
    }
  }

  /// Tells the feature that `action` happened. When it returns, the state has changed, unless another action is being
  /// answered: then it has changed when that one's `send` returns.
  ///
  /// - Returns: the effects that follow, to wait for or to cancel; most callers need neither.
  @discardableResult
  public func send(_ action: Action) -> StoreTask {
    switch source {
    case .root(let core): StoreTask(flight: core.send(action))
    case .child(let child): child.send(action)
    }
  }

  /// Cancels every effect of this store; of a child store, those of its root.
  public func cancelEffects() {
    switch source {
    case .root(let core): core.effects.cancelAll()
    case .child(let child): child.cancelEffects()
    }
  }

  /// How many tasks of effects have not ended.
  package var effectsInFlight: Int {
    guard case .root(let core) = source else { return 0 }
    return core.effects.tasks.count
  }
}

/// The store of a feature: `StoreOf<AlertFeature>`.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>
