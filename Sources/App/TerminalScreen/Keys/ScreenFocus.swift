/// What a key press can mean now: what is shown, and what may be done.
package struct ScreenFocus: Hashable, Sendable {
  package enum Panel: Hashable, Sendable { case overview, history, phone, code, help }

  package var panel = Panel.overview
  package var hasDialogue = false
  /// The dialogue asks nothing, and is there to be read.
  package var hasMessage = false
  /// The dialogue takes Enter and Esc.
  package var takesAnswers = false
  package var isAlertActive = false
  /// An alert that is being raised or ended.
  package var isBusy = false
  /// Nothing counts until Space is let go.
  package var mustLetGo = false
  package var isSignedIn = false
  package var canSubmit = false
  package var canResend = false
  package var canScroll = false
  /// Letters were typed that a region begins with.
  package var isSearchingRegion = false

  /// A field is shown, also where a dialogue stands before it.
  var isTyping: Bool { panel == .phone || panel == .code }

  package init() {}
}
