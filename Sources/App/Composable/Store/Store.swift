public import Dependencies
public import Observation

/// Holds a feature's state, handles actions with its reducer, and runs the effects that follow.
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
/// It lives on the main actor. Reading `state` inside `withObservationTracking` observes its next change. An action
/// that is sent while another is being handled is queued. When the store is released, its effects are cancelled.
@MainActor
@dynamicMemberLookup
public final class Store<State, Action: Sendable>: Observable {
  private enum Source {
    case root(StoreCore<State, Action>)
    case child(ChildStore<State, Action>)
  }

  private let source: Source

  /// Makes a root store.
  ///
  /// - Parameters:
  ///   - initialState: the state before the first action.
  ///   - reducer: the feature. This initializer calls it once.
  ///   - update: changes the feature's dependencies.
  public convenience init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> State, @ReducerBuilder<State, Action> reducer: () -> R,
    withDependencies update: (inout DependencyValues) -> Void = { _ in }
  ) {
    self.init(initialState: initialState(), reducer: reducer, withDependencies: update, recorder: nil, scheduler: nil)
  }

  /// Makes a root store for a test: `recorder` observes it, and its effects run on `scheduler`.
  package init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> State, @ReducerBuilder<State, Action> reducer: () -> R,
    withDependencies update: (inout DependencyValues) -> Void,
    recorder: StoreRecorder<State, Action>?, scheduler: EffectScheduler?
  ) {
    source = .root(
      Dependencies.withDependencies(update) {
        StoreCore(
          state: initialState(), reduction: reducer().prepared,
          effects: EffectRunner(
            dependencies: .current, scheduler: scheduler, taskEnded: recorder?.effectEnded),
          recorder: recorder)
      })
  }

  init(child: ChildStore<State, Action>) { source = .child(child) }

  isolated deinit {
    if case .root(let core) = source { core.effects.invalidate() }
  }

  /// The current state. Reading it is observed.
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

  /// Handles `action`. The state has changed when this returns. Called while another action is being handled, it queues
  /// the action, and the state has changed when the outer `send` returns.
  ///
  /// - Returns: the effects that follow, to await or cancel; most callers need neither.
  @discardableResult
  public func send(_ action: Action) -> StoreTask {
    switch source {
    case .root(let core): StoreTask(flight: core.send(action))
    case .child(let child): child.send(action)
    }
  }

  /// Cancels every effect of this store; on a child store, every effect of its root store.
  public func cancelEffects() {
    switch source {
    case .root(let core): core.effects.cancelAll()
    case .child(let child): child.cancelEffects()
    }
  }

  /// The number of effect tasks that have not ended.
  package var effectsInFlight: Int {
    guard case .root(let core) = source else { return 0 }
    return core.effects.tasks.count
  }
}

/// The store of a feature: `StoreOf<AlertFeature>`.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>
