import LifeSignalFeatures

/// The dialog that is shown, of either feature, and what its buttons send.
struct PresentedDialog {
  /// Distinguishes one dialog from the next.
  enum ID: Hashable {
    case presentation(PresentationID)
    case error(String)
    case leaving
  }

  struct Button {
    var title: String
    var role: ButtonState<Never>.Role?
    let action: ScreenFeature.Action
  }

  let id: ID
  private(set) var title: String
  private(set) var message: String?
  private(set) var buttons: [Button]
  /// Sent when it is dismissed without a choice.
  let cancelled: ScreenFeature.Action

  /// The chosen button, else the cancel button, else the first.
  func chosen(_ index: Int?) -> Int { index ?? buttons.firstIndex { $0.role == .cancel } ?? 0 }

  /// Sent when the chosen button is pressed.
  func pressed(_ index: Int?) -> ScreenFeature.Action {
    let index = chosen(index)
    return buttons.indices.contains(index) ? buttons[index].action : cancelled
  }
}

extension PresentedDialog {
  /// A dialog of a feature, whose presentation actions become the screen's by `embed`.
  init<AlertAction>(
    _ state: AlertState<AlertAction>, embed: (PresentationAction<AlertAction>) -> ScreenFeature.Action
  ) {
    id = .presentation(state.id)
    title = state.title.text
    message = state.message?.text
    cancelled = embed(.dismiss)
    let buttons = state.buttons.map { button in
      Button(
        title: button.label.text,
        role: button.role == .cancel ? .cancel : button.role == .destructive ? .destructive : nil,
        action: embed(button.action.map { .presented($0) } ?? .dismiss))
    }
    self.buttons = buttons.isEmpty ? [Button(title: ScreenTexts.ok, role: .cancel, action: embed(.dismiss))] : buttons
  }

  /// An error, with a button to dismiss it.
  init(error: String, title: String = ScreenTexts.errorTitle, message: String? = nil, dismissed: ScreenFeature.Action) {
    id = .error(error)
    self.title = title
    self.message = message ?? error
    buttons = [Button(title: ScreenTexts.ok, role: .cancel, action: dismissed)]
    cancelled = dismissed
  }
}

extension PresentedDialog {
  /// The question about ending the alert, in the words of the keys.
  fileprivate func inWordsOfKeys(isDrill: Bool) -> Self {
    var dialog = self
    dialog.title = ScreenTexts.endTitle
    dialog.message = ScreenTexts.endMessage(isDrill: isDrill)
    for index in buttons.indices where buttons[index].role == .destructive {
      dialog.buttons[index].title = ScreenTexts.endButton
    }
    return dialog
  }

  /// Asks whether to leave while something has not been sent.
  static func leaving(_ state: ScreenFeature.State) -> Self {
    Self(
      id: .leaving, title: ScreenTexts.leavingTitle,
      message: state.unsent.map {
        "\($0) \(state.isCarriedOn ? ScreenTexts.ifYouQuitCarriedOn : ScreenTexts.ifYouQuit)"
      },
      buttons: [
        Button(title: ScreenTexts.leaveButton, role: .destructive, action: .leavingAnswered(true)),
        Button(title: ScreenTexts.stayButton, role: .cancel, action: .leavingAnswered(false)),
      ], cancelled: .leavingAnswered(false))
  }
}

extension ScreenFeature.State {
  /// The dialog that waits for an answer: the alert's before the sign-in's, and the inbox's last.
  var presented: PresentedDialog? {
    if let dialog = alert.confirmationAlert {
      let presented = PresentedDialog(dialog) { .alert(.confirmationAlert($0)) }
      let isEnd = dialog.buttons.contains { $0.action == .deactivateAlertConfirmed }
      return isEnd ? presented.inWordsOfKeys(isDrill: alert.isDrill) : presented
    }
    if let error = alert.error { return alertProblem(error) }
    if let dialog = auth.alert { return PresentedDialog(dialog) { .auth(.alert($0)) } }
    if let error = auth.error { return accountProblem(error) }
    if let error = inbox.error {
      return PresentedDialog(
        error: error, title: InboxTexts.notSavedTitle, message: error.asSentence + " " + InboxTexts.answerOtherwise,
        dismissed: .inbox(.dismissError))
    }
    return isAskingToLeave ? .leaving(self) : nil
  }

  /// An alert that is not saved, or cannot be, has its own title and says what to do.
  private func alertProblem(_ error: String) -> PresentedDialog {
    let dismissed = ScreenFeature.Action.alert(.dismissError)
    let (title, advice): (String?, String) =
      switch alert.problem {
      case .notSaved: (ScreenTexts.notSavedTitle, " " + ScreenTexts.callForHelpNow)
      case .sentNotSaved: (ScreenTexts.sentNotSavedTitle, "")
      case .endNotSaved: (ScreenTexts.endNotSavedTitle, "")
      case .endSentNotSaved: (ScreenTexts.endSentNotSavedTitle, "")
      case .stillActive: (ScreenTexts.stillActiveTitle, "")
      case .updateNotSaved: (ScreenTexts.updateNotSavedTitle, "")
      case .updateSentNotSaved: (ScreenTexts.updateSentNotSavedTitle, "")
      case .statusUnreadable: (ScreenTexts.cannotSaveTitle, " " + ScreenTexts.callForHelpOtherwise)
      case .historyUnreadable, .other, nil: (nil, "")
      }
    guard let title else { return PresentedDialog(error: error, dismissed: dismissed) }
    return PresentedDialog(error: error, title: title, message: error.asSentence + advice, dismissed: dismissed)
  }

  private func accountProblem(_ error: String) -> PresentedDialog {
    let dismissed = ScreenFeature.Action.auth(.dismissError)
    guard auth.problem == .signOut, auth.isAuthenticated else {
      return PresentedDialog(error: error, dismissed: dismissed)
    }
    return PresentedDialog(
      error: error, title: ScreenTexts.signOutFailedTitle,
      message: ScreenTexts.signOutFailed + " " + error.asSentence, dismissed: dismissed)
  }

  /// Chooses the button `step` places further, wrapping around or stopping at the end.
  mutating func choose(by step: Int, wraps: Bool = false) {
    guard let presented, !presented.buttons.isEmpty else { return }
    let count = presented.buttons.count
    let wanted = presented.chosen(chosenButton) + step
    chosenButton = wraps ? (wanted + count) % count : min(max(0, wanted), count - 1)
  }
}
