import Composable

extension AlertFeature {
  /// Asks, where there is an alert to end.
  func askWhetherToDeactivate(_ state: inout State) -> Effect<Action> {
    guard state.canDeactivateAlert else { return .none }
    state.confirmationAlert = .deactivateAlert
    return .none
  }

  /// Does what the button says; `ifLet` puts the dialogue away. A button of a dialogue that is gone does nothing. An error goes
  /// with its dialogue.
  func answerDialogue(
    _ state: inout State, _ action: PresentationAction<Action.ConfirmationAlert>
  ) -> Effect<Action> {
    switch action {
    case .presented(.deactivateAlertConfirmed):
      return state.asksWhetherToDeactivate ? beginDeactivation(&state) : .none
    case .dismiss:
      // A dialogue that asks nothing tells what `setError` told; a newer error was not read.
      if state.problem == .other, state.confirmationAlert != nil, !state.asksWhetherToDeactivate { state.error = nil }
      return .none
    }
  }

  /// Tells what went wrong by a dialogue. Without a message there is nothing to tell any more; an open question stays open.
  func setError(_ state: inout State, _ message: String?) -> Effect<Action> {
    state.error = message
    state.problem = message == nil ? nil : .other
    if let message {
      state.confirmationAlert = .error(message)
    } else if !state.asksWhetherToDeactivate {
      state.confirmationAlert = nil
    }
    return .none
  }
}

extension AlertFeature.State {
  /// The dialogue that is shown asks whether to end the alert.
  var asksWhetherToDeactivate: Bool {
    confirmationAlert?.buttons.contains { $0.action == .deactivateAlertConfirmed } ?? false
  }
}

extension AlertState<AlertFeature.Action.ConfirmationAlert> {
  /// Asks whether to end the alert.
  static var deactivateAlert: Self {
    AlertState {
      TextState("Deactivate Alert")
    } actions: {
      ButtonState(role: .destructive) {
        TextState("Deactivate")
      } action: {
        .deactivateAlertConfirmed
      }
      ButtonState(role: .cancel) {
        TextState("Cancel")
      }
    } message: {
      TextState(
        "Are you sure you want to deactivate the alert? This will notify your responders that you are safe.")
    }
  }

  /// Tells what went wrong.
  static func error(_ message: String) -> Self {
    AlertState {
      TextState("Error")
    } actions: {
      ButtonState(role: .cancel) {
        TextState("OK")
      }
    } message: {
      TextState(message)
    }
  }
}
