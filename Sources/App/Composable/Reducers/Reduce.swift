/// A reducer that calls a closure.
public struct Reduce<State, Action: Sendable>: Reducer {
  /// The closure.
  public let prepared: (inout State, Action) -> Effect<Action>

  /// - Parameter reduce: changes the state for the action, and returns the effects that follow.
  public init(_ reduce: @escaping (inout State, Action) -> Effect<Action>) {
    prepared = reduce
  }

  /// Wraps `reducer`.
  public init(_ reducer: some Reducer<State, Action>) {
    prepared = reducer.prepared
  }

  /// Calls the closure.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    prepared(&state, action)
  }
}

/// A reducer that does nothing.
public struct EmptyReducer<State, Action: Sendable>: Reducer {
  /// Makes a reducer that does nothing.
  public init() {}

  /// Changes nothing, and returns no effect.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
}
