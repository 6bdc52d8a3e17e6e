import Foundation
import LifeSignal

extension ScreenFeature.State {
  /// An alert is on its way to the disk, or its end is: leaving now might lose it.
  package var isBusy: Bool { alert.isActivatingAlert || alert.isDeactivatingAlert }

  /// What is to be said when the screen is gone; nil where there is nothing.
  package var farewell: String? {
    guard alert.isAlertActive else { return nil }
    let sent = alert.delivery?.acceptedAt != nil ? "The server has it" : "It is saved here"
    return "The alert is still active. \(sent); `lifesignal sync --watch` keeps sending."
  }

  /// What keys mean now.
  var focus: ScreenFocus {
    var focus = ScreenFocus()
    focus.panel = focusPanel
    focus.hasDialogue = presented != nil
    focus.isAlertActive = alert.isAlertActive
    focus.isBusy = isBusy
    focus.isSignedIn = auth.isAuthenticated
    focus.canSubmit =
      !auth.isLoading && (auth.isVerificationCodeSent ? auth.isVerificationCodeValid : auth.isPhoneNumberValid)
    focus.canResend = auth.canResendCode && !auth.isLoading
    focus.canScroll = alert.alertHistory.count > historyRows
    return focus
  }

  private var focusPanel: ScreenFocus.Panel {
    switch panel {
    case .overview: .overview
    case .history: .history
    case .signIn: auth.isVerificationCodeSent ? .code : .phone
    }
  }

  /// Takes in what the features did: another dialogue begins with its own default, and who ended an alert by holding the
  /// key must let it go before it raises the next.
  mutating func followFeatures() {
    if presented?.id != lastDialogue { chosenButton = nil }
    lastDialogue = presented?.id
    if wasAlertActive, !alert.isAlertActive { repeats.waitForPause() }
    wasAlertActive = alert.isAlertActive
  }

  /// How many alerts of the history one page has.
  var historyRows: Int { ScreenView.historyRows(ScreenModel(self, now: .distantPast), size: size) }

  /// Scrolls the history so that its row `offset` is the first, or as far as it goes.
  mutating func scroll(to offset: Int) {
    historyOffset = min(max(0, offset), max(0, alert.alertHistory.count - historyRows))
  }
}
