package import LifeSignalFeatures

/// What a key means, given what is shown.
package enum KeyIntent: Hashable, Sendable {
  /// The space key: taps, and holds while an alert is active.
  case alertKey
  /// A tap by a key for which a hold means nothing.
  case tap
  case askToEnd
  case quit
  case showHistory, showSignIn, showHelp, showUpdate, askToSignOut, leavePanel
  /// By this many rows, down if positive.
  case scroll(Int)
  case scrollPages(Int)
  case scrollToNewest, scrollToOldest
  /// The next button, if there is one.
  case nextButton, previousButton
  /// The button this many places further, wrapping around.
  case cycleButtons(Int)
  case pressButton, cancelDialog
  case nextRegion, previousRegion
  /// The region that begins with what was typed, followed by this letter.
  case searchRegion(Character)
  case type(String), erase, clear, submit, resend
  /// The other field of the message.
  case nextField
  case showInbox
  /// The alert of the inbox this many places further down.
  case chooseAlert(Int)
  case openAlert
  /// The details of the open alert, by this many rows, down if positive.
  case scrollDetails(Int)
  case writeLine
  case answer(ReceivedAlert.Answer.Kind)
}
