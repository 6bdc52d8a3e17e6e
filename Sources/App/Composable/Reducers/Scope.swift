/// Runs a child's reducer on the child's part of the parent's state.
///
/// ```swift
/// Scope(state: \.phoneEntry, action: \.phoneEntry) { PhoneEntryFeature() }
/// ```
public struct Scope<ParentState, ParentAction: Sendable & CasePathable>: Reducer {
  /// The closure.
  public let prepared: (inout ParentState, ParentAction) -> Effect<ParentAction>

  /// - Parameters:
  ///   - state: the child's part of the state.
  ///   - action: the case that carries the child's actions.
  ///   - child: the child's reducer.
  public init<ChildState, ChildAction: Sendable, Child: Reducer<ChildState, ChildAction>>(
    state: WritableKeyPath<ParentState, ChildState>, action: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child
  ) {
    let reduceChild = child().prepared
    let path = ParentAction.casePath(action)
    prepared = { parent, parentAction in
      guard let childAction = path.extract(from: parentAction) else { return .none }
      return reduceChild(&parent[keyPath: state], childAction).map(path.embed)
    }
  }

  /// Runs the child's reducer if the action is the child's.
  public func reduce(into state: inout ParentState, action: ParentAction) -> Effect<ParentAction> {
    prepared(&state, action)
  }
}
