import Dependencies

extension Reducer where Action: CasePathable {
  /// Runs a child's reducer, before the parent's, while the child's state is not nil. Cancels the child's effects when
  /// its state becomes nil.
  ///
  /// A child's action that arrives while its state is nil changes nothing, and is reported as a warning.
  public func ifLet<ChildState, ChildAction: Sendable, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Reduce<State, Action> {
    let (reduceParent, reduceChild) = (prepared, child().prepared)
    let path = Action.casePath(action)
    let id = EffectID(PresentedEffects(state: state))
    return Reduce { parent, parentAction in
      let wasPresent = parent[keyPath: state] != nil
      var effect = Effect<Action>.none
      if let childAction = path.extract(from: parentAction) {
        if var childState = parent[keyPath: state] {
          effect = reduceChild(&childState, childAction).map(path.embed).cancellable(id, inFlight: false)
          parent[keyPath: state] = childState
        } else {
          reportLateAction(childAction, fileID: fileID, line: line)
        }
      }
      effect = effect.merge(with: reduceParent(&parent, parentAction))
      return wasPresent && parent[keyPath: state] == nil ? effect.merge(with: .cancel(id)) : effect
    }
  }

  /// Runs the reducer of a presented child in the same way. `dismiss` sets its state to nil after the parent's reducer
  /// has run.
  public func ifLet<ChildState, ChildAction: Sendable, Child: Reducer<ChildState, ChildAction>>(
    _ state: WritableKeyPath<State, PresentationState<ChildState>>,
    action: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> destination child: () -> Child,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Reduce<State, Action> {
    let presented = Action.casePath(action)
    let (reduceParent, reduceChild) = (prepared, child().prepared)
    let id = EffectID(PresentedEffects(state: state))
    return Reduce { parent, parentAction in
      let presentation = presented.extract(from: parentAction)
      let wasPresent = parent[keyPath: state].wrappedValue != nil
      var effect = Effect<Action>.none
      if case .presented(let childAction) = presentation {
        if var childState = parent[keyPath: state].wrappedValue {
          effect = reduceChild(&childState, childAction)
            .map { presented.embed(.presented($0)) }.cancellable(id, inFlight: false)
          parent[keyPath: state].wrappedValue = childState
        } else {
          reportLateAction(childAction, fileID: fileID, line: line)
        }
      }
      effect = effect.merge(with: reduceParent(&parent, parentAction))
      if case .dismiss = presentation { parent[keyPath: state].wrappedValue = nil }
      return wasPresent && parent[keyPath: state].wrappedValue == nil ? effect.merge(with: .cancel(id)) : effect
    }
  }

  /// Dismisses an alert after one of its buttons was chosen, unless the reducer replaced it with another alert.
  ///
  /// ```swift
  /// Reduce { state, action in … }
  ///   .ifLet(\.$alert, action: \.alert)
  /// ```
  public func ifLet<AlertAction>(
    _ state: WritableKeyPath<State, PresentationState<AlertState<AlertAction>>>,
    action: CaseKeyPath<Action, PresentationAction<AlertAction>>
  ) -> Reduce<State, Action> {
    let path = Action.casePath(action)
    let reduceParent = prepared
    return Reduce { parent, parentAction in
      guard path.extract(from: parentAction) != nil else { return reduceParent(&parent, parentAction) }
      let shown = parent[keyPath: state].wrappedValue?.id
      let effect = reduceParent(&parent, parentAction)
      if parent[keyPath: state].wrappedValue?.id == shown { parent[keyPath: state].wrappedValue = nil }
      return effect
    }
  }
}

/// Identifies the effects of the child at one key path of a parent's state.
private struct PresentedEffects: Hashable, @unchecked Sendable {
  // No lock is needed: a key path never changes.
  let state: AnyKeyPath
}

private func reportLateAction(_ action: Any, fileID: StaticString, line: UInt) {
  IssueReporting.report(
    "“\(actionName(action))” arrived after the child's state became nil; it is ignored", severity: .warning,
    fileID: fileID, line: line)
}
