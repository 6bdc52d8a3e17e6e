/// What the person means by a key, given what is shown.
package enum KeyIntent: Hashable, Sendable {
  /// The space key: taps, and while an alert is active holds.
  case alertKey
  /// A tap by a key that cannot be held for anything.
  case tap
  case askToEnd
  case quit
  case showHistory, showSignIn, showHelp, askToSignOut, leavePanel
  /// By so many rows, down where positive.
  case scroll(Int)
  case scrollPages(Int)
  case scrollToNewest, scrollToOldest
  /// The button beside the chosen one; at the end there is none.
  case nextButton, previousButton
  /// The one so many places further, around the end.
  case cycleButtons(Int)
  case pressButton, cancelDialogue
  case nextRegion, previousRegion
  /// The region that begins with what was typed, and this behind it.
  case searchRegion(Character)
  case type(String), erase, clear, submit, resend
}
