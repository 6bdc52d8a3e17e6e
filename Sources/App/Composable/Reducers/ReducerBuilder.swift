/// Composes reducers by writing one under the other: each sees the state as those before left it, and their effects are
/// merged.
@resultBuilder
public enum ReducerBuilder<State, Action: Sendable> {
  /// No reducer at all.
  public static func buildBlock() -> EmptyReducer<State, Action> { EmptyReducer() }

  /// The first reducer.
  public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R { first }

  /// One more reducer.
  public static func buildPartialBlock(
    accumulated: some Reducer<State, Action>, next: some Reducer<State, Action>
  ) -> Reduce<State, Action> {
    let (first, second) = (prepared(accumulated), prepared(next))
    return Reduce { state, action in
      let effect = first(&state, action)
      return effect.merge(with: second(&state, action))
    }
  }

  /// A reducer that is there under a condition only.
  public static func buildOptional(_ reducer: (some Reducer<State, Action>)?) -> Reduce<State, Action> {
    reducer.map { Reduce($0) } ?? Reduce(EmptyReducer())
  }

  /// The first of two.
  public static func buildEither(first reducer: some Reducer<State, Action>) -> Reduce<State, Action> {
    Reduce(reducer)
  }

  /// The second of two.
  public static func buildEither(second reducer: some Reducer<State, Action>) -> Reduce<State, Action> {
    Reduce(reducer)
  }

  /// An expression, as it is.
  public static func buildExpression<R: Reducer<State, Action>>(_ reducer: R) -> R { reducer }

  /// The whole, as it is.
  public static func buildFinalResult<R: Reducer<State, Action>>(_ reducer: R) -> R { reducer }
}
