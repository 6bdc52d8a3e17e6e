/// Observes all that a store does, for a test.
package struct StoreRecorder<State, Action: Sendable> {
  /// Called on the main actor after an action was handled, with the state after it.
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

/// The sender of an action.
package enum ActionOrigin: Sendable {
  /// A call of the store's `send`.
  case sent
  /// An effect of the store.
  case effect
}
