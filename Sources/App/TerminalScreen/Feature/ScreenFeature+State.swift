import FoundationEssentials
import LifeSignalFeatures

extension ScreenFeature.State {
  /// An alert is on its way to the disk, or its end is: leaving now might lose it.
  package var isBusy: Bool { alert.isActivatingAlert || alert.isDeactivatingAlert }

  /// What keys mean now.
  var focus: ScreenFocus {
    var focus = ScreenFocus()
    focus.panel = focusPanel
    let dialog = presented
    focus.hasDialog = dialog != nil
    focus.hasMessage = dialog?.buttons.count == 1
    focus.isAlertActive = alert.isAlertActive
    focus.takesAnswers = dialogGuard.takesAnswers
    focus.isBusy = isBusy
    focus.mustLetGo = repeats.mustBeLetGo
    focus.isSignedIn = auth.isAuthenticated
    focus.canSubmit =
      panel == .update
      ? alert.canSendUpdate
      : !auth.isLoading && (auth.isVerificationCodeSent ? auth.isVerificationCodeValid : auth.isPhoneNumberValid)
    focus.canResend = auth.canResendCode && !auth.isLoading
    focus.isSearchingRegion = !regionSearch.text.isEmpty
    focus.isCalled = inbox.mostUrgent != nil
    focus.canOpen = !inbox.alerts.isEmpty
    focus.canAnswer = inbox.canAnswer(with: .responding)
    focus.canHandOver = inbox.canAnswer(with: .handingOver)
    focus.canScroll = alert.alertHistory.count > historyRows
    return focus
  }

  private var focusPanel: ScreenFocus.Panel {
    if isHelpShown { return .help }
    return switch panel {
    case .overview: .overview
    case .history: .history
    case .update: .update
    case .inbox where isWritingLine: .answerLine
    case .inbox: inbox.selected == nil ? .inbox : .receivedAlert
    case .signIn: auth.isVerificationCodeSent ? .code : .phone
    }
  }

  /// How many alerts of the history one page has.
  var historyRows: Int { ScreenView.historyRows(ScreenModel(layoutOf: self), size: size) }

  /// Scrolls the history so that its row `offset` is the first, or as far as it goes.
  mutating func scroll(to offset: Int) {
    historyOffset = min(max(0, offset), max(0, alert.alertHistory.count - historyRows))
  }
}
