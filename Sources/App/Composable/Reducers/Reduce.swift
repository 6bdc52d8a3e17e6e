/// A reducer made of a closure.
public struct Reduce<State, Action: Sendable>: Reducer, PreparedReducer {
  let reduction: Reduction<State, Action>

  /// - Parameter reduce: changes the state as the action asks, and gives the effects that follow.
  public init(_ reduce: @escaping (inout State, Action) -> Effect<Action>) {
    reduction = reduce
  }

  /// What `reducer` does.
  public init(_ reducer: some Reducer<State, Action>) {
    reduction = prepared(reducer)
  }

  /// Calls the closure.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    reduction(&state, action)
  }
}

/// Does nothing.
public struct EmptyReducer<State, Action: Sendable>: Reducer {
  /// A reducer that answers nothing.
  public init() {}

  /// Leaves everything as it is.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
}
