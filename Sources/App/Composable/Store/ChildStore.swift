/// The access of a child store to its parent store.
struct ChildStore<State, Action> {
  let state: @MainActor () -> State
  let send: @MainActor (Action) -> StoreTask
  let cancelEffects: @MainActor () -> Void
}

extension Store where Action: CasePathable {
  /// Makes a store of a part of this store: `store.scope(state: \.auth, action: \.auth)`.
  public func scope<ChildState, ChildAction: Sendable>(
    state: KeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    let path = Action.casePath(action)
    return Store<ChildState, ChildAction>(
      child: ChildStore(
        state: { self.state[keyPath: state] }, send: { self.send(path.embed($0)) },
        cancelEffects: { self.cancelEffects() }))
  }

  /// Makes a store of an optional child; nil while the child's state is nil. A store that outlives its child keeps the
  /// last state that it read.
  public func scope<ChildState, ChildAction: Sendable>(
    state: KeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction>? {
    guard let first = self.state[keyPath: state] else { return nil }
    let path = Action.casePath(action)
    var last = first
    return Store<ChildState, ChildAction>(
      child: ChildStore(
        state: {
          last = self.state[keyPath: state] ?? last
          return last
        },
        send: { self.send(path.embed($0)) }, cancelEffects: { self.cancelEffects() }))
  }
}
