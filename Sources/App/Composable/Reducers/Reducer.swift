/// Handles actions: changes the state at once, and returns the effects that follow.
///
/// A feature has a `body` that composes other reducers, usually a single `Reduce`:
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
/// A store evaluates the body once, in its initializer, and calls the result on the main actor. Implement either `body`
/// or `reduce(into:action:)`, not both.
public protocol Reducer<State, Action> {
  /// The feature's state.
  associatedtype State
  /// The feature's actions.
  associatedtype Action: Sendable
  /// The type of `body`; `Never` for a reducer that implements `reduce(into:action:)`.
  associatedtype Body

  /// Changes `state` for `action`, and returns the effects that follow. It must not block or read a clock.
  func reduce(into state: inout State, action: Action) -> Effect<Action>

  /// The reducers that this one is composed of.
  @ReducerBuilder<State, Action> var body: Body { get }

  /// The reducer as a function, with its body evaluated, so that it keeps the dependencies that are current now. It is there for
  /// every reducer; do not implement it.
  var prepared: (inout State, Action) -> Effect<Action> { get }
}

/// A reducer with the state and the actions of `R`.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

extension Reducer where Body == Never {
  /// Never called: a reducer that implements `reduce(into:action:)` has no body.
  public var body: Body { preconditionFailure("\(Self.self) has no body: call reduce(into:action:)") }

  /// Calls `reduce(into:action:)`.
  public var prepared: (inout State, Action) -> Effect<Action> {
    { state, action in reduce(into: &state, action: action) }
  }
}

extension Reducer where Body: Reducer<State, Action> {
  /// Runs the body.
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    body.reduce(into: &state, action: action)
  }

  /// Evaluates the body.
  public var prepared: (inout State, Action) -> Effect<Action> { body.prepared }
}

/// A reducer as a function, with its body evaluated.
typealias Reduction<State, Action: Sendable> = (inout State, Action) -> Effect<Action>
