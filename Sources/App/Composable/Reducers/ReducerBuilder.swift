/// Composes reducers from statements. They run in order on the same state, and their effects are merged.
@resultBuilder
public enum ReducerBuilder<State, Action: Sendable> {
  /// No reducer.
  public static func buildBlock() -> EmptyReducer<State, Action> { EmptyReducer() }

  /// The first reducer.
  public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R { first }

  /// The reducers so far, then one more.
  public static func buildPartialBlock(
    accumulated: some Reducer<State, Action>, next: some Reducer<State, Action>
  ) -> Reduce<State, Action> {
    let (first, second) = (accumulated.prepared, next.prepared)
    return Reduce { state, action in
      let effect = first(&state, action)
      return effect.merge(with: second(&state, action))
    }
  }

  /// The reducer of an `if` without `else`.
  public static func buildOptional(_ reducer: (some Reducer<State, Action>)?) -> Reduce<State, Action> {
    reducer.map { Reduce($0) } ?? Reduce(EmptyReducer())
  }

  /// The reducer of the first branch.
  public static func buildEither(first reducer: some Reducer<State, Action>) -> Reduce<State, Action> {
    Reduce(reducer)
  }

  /// The reducer of the second branch.
  public static func buildEither(second reducer: some Reducer<State, Action>) -> Reduce<State, Action> {
    Reduce(reducer)
  }

  /// One reducer, unchanged.
  public static func buildExpression<R: Reducer<State, Action>>(_ reducer: R) -> R { reducer }

  /// The composed reducer, unchanged.
  public static func buildFinalResult<R: Reducer<State, Action>>(_ reducer: R) -> R { reducer }
}
