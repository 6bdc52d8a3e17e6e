import Composable

extension AlertFeature {
  /// Asks, if there is an alert to end.
  func askWhetherToDeactivate(_ state: inout State) -> Effect<Action> {
    guard state.canDeactivateAlert else { return .none }
    state.confirmationAlert = .deactivateAlert
    state.snapshotToEnd = state.shown
    return .none
  }

  /// Does what the button says; `ifLet` dismisses the dialog. A button of a dismissed dialog does nothing. An error is dismissed
  /// with its dialog.
  func answerDialog(
    _ state: inout State, _ action: PresentationAction<Action.ConfirmationAlert>
  ) -> Effect<Action> {
    switch action {
    case .presented(.deactivateAlertConfirmed):
      return state.asksWhetherToDeactivate ? beginDeactivation(&state, of: state.snapshotToEnd) : .none
    case .dismiss:
      // A dialog without a question shows what `setError` set; a newer error has not been read.
      if state.problem == .other, state.confirmationAlert != nil, !state.asksWhetherToDeactivate { state.error = nil }
      return .none
    }
  }

  /// Shows the message in a dialog, or dismisses it if nil; an open question stays open.
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
  /// The dialog that is shown asks whether to end the alert.
  var asksWhetherToDeactivate: Bool {
    confirmationAlert?.buttons.contains { $0.action == .deactivateAlertConfirmed } ?? false
  }
}

extension AlertState<AlertFeature.Action.ConfirmationAlert> {
  /// Asks whether to end the alert.
  static var deactivateAlert: Self {
    AlertState {
      TextState(AlertFeatureTexts.deactivateTitle)
    } actions: {
      ButtonState(role: .destructive) {
        TextState(AlertFeatureTexts.deactivate)
      } action: {
        .deactivateAlertConfirmed
      }
      ButtonState(role: .cancel) {
        TextState(AlertFeatureTexts.cancel)
      }
    } message: {
      TextState(AlertFeatureTexts.deactivateQuestion)
    }
  }

  /// Tells what went wrong.
  static func error(_ message: String) -> Self {
    AlertState {
      TextState(AlertFeatureTexts.errorTitle)
    } actions: {
      ButtonState(role: .cancel) {
        TextState(AlertFeatureTexts.ok)
      }
    } message: {
      TextState(message)
    }
  }
}
