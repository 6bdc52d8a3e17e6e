/// What decides the meaning of a key: what is shown, and what may be done.
package struct ScreenFocus: Hashable, Sendable {
  package enum Panel: Hashable, Sendable {
    case overview, history, phone, code, help, update, inbox, receivedAlert, answerLine
  }

  package var panel = Panel.overview
  package var hasDialog = false
  /// Whether the dialog is a message without a question.
  package var hasMessage = false
  /// Whether the dialog takes Enter and Esc.
  package var takesAnswers = false
  package var isAlertActive = false
  /// Whether an alert is being raised or ended.
  package var isBusy = false
  /// Whether Space must be released before anything counts.
  package var mustLetGo = false
  package var isSignedIn = false
  package var canSubmit = false
  package var canResend = false
  package var canScroll = false
  /// Whether somebody else needs help.
  package var isCalled = false
  /// Whether the chosen alert of the inbox can be opened.
  package var canOpen = false
  /// Whether the open alert can be answered.
  package var canAnswer = false
  /// Whether its responder, who said that they come, can hand over.
  package var canHandOver = false
  /// Whether letters of a region were typed.
  package var isSearchingRegion = false

  /// Whether a field is shown, possibly behind a dialog.
  var isTyping: Bool { panel == .phone || panel == .code || panel == .update || panel == .answerLine }

  package init() {}
}
