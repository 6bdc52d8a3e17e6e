/// A reducer that calls a closure.
public struct Reduce<State, Action: Sendable>: Reducer, PreparedReducer {
  let reduction: Reduction<State, Action>

  /// - Parameter reduce: changes the state for the action, and returns the effects that follow.
  public init(_ reduce: @escaping (inout State, Action) -> Effect<Action>) {
    reduction = reduce
  }

  /// Wraps `reducer`.
  public init(_ reducer: some Reducer<State, Action>) {
    reduction = prepared(reducer)
  }

  /// Calls the closure.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    reduction(&state, action)
  }
}

/// A reducer that does nothing.
public struct EmptyReducer<State, Action: Sendable>: Reducer {
  /// Makes a reducer that does nothing.
  public init() {}

  /// Changes nothing, and returns no effect.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
}
