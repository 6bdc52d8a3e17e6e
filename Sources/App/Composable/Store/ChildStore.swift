/// What a child's store does to its parent's.
struct ChildStore<State, Action> {
  let state: @MainActor () -> State
  let send: @MainActor (Action) -> StoreTask
  let cancelEffects: @MainActor () -> Void
}

extension Store where Action: CasePathable {
  /// A store of a part of this one: `store.scope(state: \.auth, action: \.auth)`.
  public func scope<ChildState, ChildAction: Sendable>(
    state: KeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    let path = Action.casePath(action)
    return Store<ChildState, ChildAction>(
      child: ChildStore(
        state: { self.state[keyPath: state] }, send: { self.send(path.embed($0)) },
        cancelEffects: { self.cancelEffects() }))
  }

  /// A store of a child that may not be there; nil while it is not. One that is kept after its child went shows the last
  /// state that it saw.
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
