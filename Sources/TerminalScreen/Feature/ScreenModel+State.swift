package import Foundation
import LifeSignal

extension ScreenModel {
  /// What the screen shows of `state`, where it is `now`.
  package init(_ state: ScreenFeature.State, now: Date) {
    self.init()
    let clock = ClockText(now: now)
    connection = Self.connection(state, now, clock)
    pending = state.alert.connection.pendingCount
    parked = state.alert.connection.parkedCount
    button = AlertButton(state.alert)
    status = Self.status(state.alert, now, clock)
    ladder = LadderRow.rows(state, clock)
    history = HistoryList(state.alert, now, clock)
    history.offset = state.historyOffset
    panel = Self.panel(state)
    dialogue = state.presented.map { Dialogue($0, chosen: state.chosenButton) }
    notice = Self.notice(state)
    // Whether the history can be scrolled is asked of a model without keys.
    keys = now == .distantPast ? [] : KeyHint.hints(in: state.focus)
  }

  private static func connection(_ state: ScreenFeature.State, _ now: Date, _ clock: ClockText) -> Connection {
    let connection = state.alert.connection
    if let error = connection.lastError {
      return .lost(since: connection.lastSuccessAt.map(clock.short), reason: error)
    }
    guard state.auth.isAuthenticated else { return state.lacksServer ? .notSetUp : .notSignedIn }
    guard let last = connection.lastSuccessAt else { return .unknown }
    // While nothing is to be said to the server, a lost one is not noticed at once.
    return now.timeIntervalSince(last) <= freshSeconds ? .connected : .quiet(since: clock.short(last))
  }

  /// For so long after an exchange the server counts as there.
  private static let freshSeconds: TimeInterval = 60

  private static func status(_ alert: AlertFeature.State, _ now: Date, _ clock: ClockText) -> StatusLine {
    let name = alert.isDrill ? "DRILL" : "ALERT"
    if alert.isAlertActive {
      let since = alert.alertStartTime.map { " since \(clock.time($0))" } ?? ""
      return StatusLine(text: "\(name) ACTIVE\(since)", trailing: alert.formattedAlertDuration(at: now), style: .bad)
    }
    guard let start = alert.alertStartTime, let end = alert.alertEndTime else {
      return StatusLine(text: "No alert is active.", style: .good)
    }
    let last = alert.isDrill ? "The last drill" : "The last one"
    return StatusLine(
      text: "No alert is active. \(last): \(clock.short(start)) – \(clock.end(end, of: start))",
      trailing: alert.formattedAlertDuration(at: now), style: .good)
  }

  /// What must be seen: first what keeps an alert from being sent.
  private static func notice(_ state: ScreenFeature.State) -> StatusLine? {
    if let problem = state.workerProblem {
      return StatusLine(text: "Nothing is sent from this screen any more: \(problem)", style: .warning)
    }
    guard state.auth.isAuthenticated else {
      if state.lacksServer { return notSetUp(state) }
      return state.panel == .signIn ? nil : notSignedIn(state)
    }
    let connection = state.alert.connection
    if connection.pendingCount > 0, let error = connection.lastError {
      return StatusLine(text: "Saved here and tried again: \(error)", style: .warning)
    }
    guard connection.parkedCount > 0 else { return nil }
    return StatusLine(text: "The server refused something. See: lifesignal queue list", style: .warning)
  }

  private static func notSetUp(_ state: ScreenFeature.State) -> StatusLine {
    let saved = state.alert.isAlertActive ? "Saved on this device. NOT SENT: no" : "Alerts are saved here, but no"
    return StatusLine(
      text: "\(saved) server is set up. Quit, then: lifesignal config set endpoint https://…", style: .warning)
  }

  private static func notSignedIn(_ state: ScreenFeature.State) -> StatusLine {
    let text =
      state.alert.isAlertActive
      ? "Saved on this device. NOT SENT: nobody is told before you sign in. Press s."
      : "Not signed in: an alert is saved here, and sent when you sign in. Press s."
    return StatusLine(text: text, style: .warning)
  }

  private static func panel(_ state: ScreenFeature.State) -> Panel {
    let auth = state.auth
    switch state.panel {
    case .overview: return .overview
    case .history: return .history
    case .signIn where auth.isVerificationCodeSent:
      return .code(
        CodePanel(
          phone: state.formattedPhone, code: auth.verificationCode,
          resendInSeconds: auth.canResendCode ? nil : auth.resendCodeTimer, isBusy: auth.isLoading,
          problem: auth.error))
    case .signIn:
      return .phone(
        PhonePanel(
          region: auth.selectedRegion.localizedName,
          callingCode: auth.selectedRegion.callingCode.map { String($0) } ?? "?", number: state.formattedPhone,
          isBusy: auth.isLoading, canSubmit: auth.isPhoneNumberValid, problem: auth.error))
    }
  }
}

extension ScreenFeature.State {
  /// The number as typed so far, as people write it.
  fileprivate var formattedPhone: String { PhoneFormatter.format(auth.phoneNumber, for: auth.selectedRegion) }
}

extension AlertButton {
  init(_ alert: AlertFeature.State) {
    if alert.isActivatingAlert {
      self = .saving
    } else if alert.isDeactivatingAlert {
      self = .ending
    } else if alert.isAlertActive {
      self = .active(hold: alert.isHoldingDeactivation ? alert.deactivationProgress : nil)
    } else {
      self = .ready(quarters: Int((alert.activationProgress * 4).rounded()))
    }
  }
}

extension HistoryList {
  init(_ alert: AlertFeature.State, _ now: Date, _ clock: ClockText) {
    isLoading = alert.isLoadingHistory
    rows = alert.alertHistory.map { record in
      let end = record.isActive ? "now" : record.endTime.map { clock.end($0, of: record.startTime) } ?? "given up"
      let note = record.isDiscarded ? ", given up" : record.stage == .saved ? ", not sent" : ""
      let period = "\(clock.full(record.startTime)) – \(end)"
      return Row(
        period: period + (record.isDrill ? ", drill" : "") + (record.endTime == nil && !record.isActive ? "" : note),
        duration: ClockText.duration(
          (record.endTime ?? (record.isActive ? now : record.startTime)).timeIntervalSince(record.startTime)),
        isActive: record.isActive)
    }
  }
}

extension Dialogue {
  init(_ presented: PresentedDialogue, chosen: Int?) {
    title = presented.title
    message = presented.message
    buttons = presented.buttons.map { Button(title: $0.title, isDestructive: $0.role == .destructive) }
    self.chosen = presented.chosen(chosen)
  }
}
