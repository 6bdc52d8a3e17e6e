/// Says how state answers actions: what changes at once, and which effects follow.
///
/// A feature has a `body` that composes other reducers, most often one `Reduce`:
///
/// ```swift
/// struct Counter: Reducer {
///   struct State: Equatable { var count = 0 }
///   enum Action: Sendable { case incrementButtonTapped }
///
///   var body: some ReducerOf<Self> {
///     Reduce { state, action in
///       switch action {
///       case .incrementButtonTapped:
///         state.count += 1
///         return .none
///       }
///     }
///   }
/// }
/// ```
///
/// A store makes the body once, when it is made itself, and calls the result on the main actor. Implement either `body` or
/// `reduce(into:action:)`, not both.
public protocol Reducer<State, Action> {
  /// What the feature knows.
  associatedtype State
  /// What can happen to it.
  associatedtype Action: Sendable
  /// The type of `body`; `Never` for a reducer that implements `reduce(into:action:)`.
  associatedtype Body

  /// Changes `state` as `action` asks, and gives the effects that follow. It neither blocks nor reads clocks.
  func reduce(into state: inout State, action: Action) -> Effect<Action>

  /// The reducers that this one is composed of.
  @ReducerBuilder<State, Action> var body: Body { get }
}

/// The reducers with the state and the actions of `R`.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

extension Reducer where Body == Never {
  /// A reducer that implements `reduce(into:action:)` has no body; nothing calls this.
  public var body: Body { preconditionFailure("\(Self.self) has no body: call reduce(into:action:)") }
}

extension Reducer where Body: Reducer<State, Action> {
  /// What the body does.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    body.reduce(into: &state, action: action)
  }
}

/// A reducer as one function, its body made.
typealias Reduction<State, Action: Sendable> = (inout State, Action) -> Effect<Action>

/// A reducer that already is one function.
protocol PreparedReducer<State, Action>: Reducer {
  var reduction: Reduction<State, Action> { get }
}

/// `reducer` with its body made once and for all, so that the dependencies that are current now are those that it keeps.
func prepared<R: Reducer>(_ reducer: R) -> Reduction<R.State, R.Action> {
  if let ready = reducer as? any PreparedReducer<R.State, R.Action> { return ready.reduction }
  if R.Body.self != Never.self, let body = reducer.body as? any Reducer<R.State, R.Action> { return prepared(body) }
  return { state, action in reducer.reduce(into: &state, action: action) }
}
