/// Told of everything that a store does, for a test.
package struct StoreRecorder<State, Action: Sendable> {
  /// Called on the main actor when an action has been answered, with the state after it.
  package let reduced: @MainActor (Action, ActionOrigin, State) -> Void
  /// Called when a task of an effect has ended.
  package let effectEnded: @MainActor () -> Void

  package init(
    reduced: @escaping @MainActor (Action, ActionOrigin, State) -> Void, effectEnded: @escaping @MainActor () -> Void
  ) {
    self.reduced = reduced
    self.effectEnded = effectEnded
  }
}

/// Who sent an action.
package enum ActionOrigin: Sendable {
  /// `send` of the store.
  case sent
  /// An effect.
  case effect
}
