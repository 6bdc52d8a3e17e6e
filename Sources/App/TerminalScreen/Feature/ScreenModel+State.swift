package import FoundationEssentials
import LifeSignalFeatures

extension ScreenModel {
  /// What the screen shows of `state`, where it is `now`.
  package init(_ state: ScreenFeature.State, now: Date) {
    let clock = ClockText(now: now)
    self.init(state, clock, now)
    connection = Self.connection(state, now, clock)
    pending = state.alert.connection.pendingCount
    parked = state.alert.connection.parkedCount
    button = AlertButton(state)
    status = Self.problem(state) ?? Self.status(state.alert, now, clock)
    history = HistoryList(state, now, clock)
    dialog = state.presented.map { Dialog($0, chosen: state.chosenButton) }
    keys = KeyHint.hints(in: state.focus)
  }

  /// Only what decides how many rows the history gets, and those that an open alert takes where it is `now`.
  init(layoutOf state: ScreenFeature.State, now: Date? = nil) {
    let now = now ?? state.alert.alertStartTime ?? .distantPast
    self.init(state, ClockText(now: now), now)
  }

  private init(_ state: ScreenFeature.State, _ clock: ClockText, _ now: Date) {
    self.init()
    readiness = Self.readiness(state, now)
    call = CallLine(state, clock)
    ladder = LadderRow.rows(state, clock)
    panel = Self.panel(state, clock, now)
    notice = Self.notice(state)
  }

  private static func connection(_ state: ScreenFeature.State, _ now: Date, _ clock: ClockText) -> Connection {
    let connection = state.alert.connection
    if state.isSessionExpired { return .expired }
    if let error = connection.lastError {
      return .lost(since: connection.lastSuccessAt.map(clock.short), reason: error)
    }
    guard state.auth.isAuthenticated else {
      if state.storeProblem != nil { return .unknown }
      return state.lacksServer ? .notSetUp : .notSignedIn
    }
    guard let last = connection.lastSuccessAt else { return .unknown }
    let isActive = state.alert.isAlertActive
    let isFresh = now.timeIntervalSince(last) <= (isActive ? freshSecondsOfAlert : freshSeconds)
    // An exchange from before the event stream broke says nothing about now.
    if isFresh, state.streamLostAt.map({ last > $0 }) ?? true { return .connected }
    return .quiet(since: isActive ? clock.time(last) : clock.short(last))
  }

  /// How long the server counts as connected after an exchange.
  private static let freshSeconds: TimeInterval = 60
  /// The same while an alert is active: a little more than the worker waits for news.
  private static let freshSecondsOfAlert: TimeInterval = 35

  /// Replaces the status if an attempt failed or the status is unknown.
  private static func problem(_ state: ScreenFeature.State) -> StatusLine? {
    if let notSaved = state.notSaved {
      return StatusLine(
        text: notSaved.wasSent ? ScreenTexts.sentNotSavedStatus : ScreenTexts.notSavedStatus, style: .bad)
    }
    let isUnreadable = state.storeProblem != nil || state.alert.snapshot.unreadableAlert != nil
    guard isUnreadable, !state.alert.isAlertActive else { return nil }
    return StatusLine(text: ScreenTexts.unreadableStatus, style: .bad)
  }

  private static func status(_ alert: AlertFeature.State, _ now: Date, _ clock: ClockText) -> StatusLine {
    if alert.isAlertActive {
      let text = ScreenTexts.active(
        1 + alert.snapshot.otherActive.count, isDrill: alert.isDrill, since: alert.alertStartTime.map(clock.time))
      return StatusLine(text: text, trailing: alert.formattedAlertDuration(at: now), style: .bad)
    }
    guard let start = alert.alertStartTime, let end = alert.alertEndTime else {
      return StatusLine(text: ScreenTexts.noAlert, style: .good)
    }
    return StatusLine(
      text: ScreenTexts.last(isDrill: alert.isDrill, clock.short(start), clock.end(end, of: start)),
      trailing: alert.formattedAlertDuration(at: now), style: .good)
  }

  private static func readiness(_ state: ScreenFeature.State, _ now: Date) -> StatusLine? {
    guard !state.alert.isAlertActive, let readiness = state.alert.snapshot.readiness else { return nil }
    return StatusLine(text: readiness.line(now: now), style: readiness.isReady ? .good : .warning)
  }

  /// What must be seen and no dialog says. First what prevents an alert from being sent.
  private static func notice(_ state: ScreenFeature.State) -> StatusLine? {
    if let notSaved = state.notSaved {
      guard state.alert.error == nil else { return nil }
      let advice = notSaved.wasSent ? "" : " " + ScreenTexts.callForHelpNow
      return StatusLine(text: notSaved.reason.asSentence + advice, style: .bad)
    }
    if state.alert.isAlertActive, let delivery = state.alert.delivery, let reason = delivery.nobodyIsTold {
      let isCertain = !delivery.mayBeToldByApp
      return state.alert.isDrill
        ? StatusLine(text: ScreenTexts.nobodyIsToldOfDrill(reason, isCertain: isCertain), style: .warning)
        : StatusLine(text: ScreenTexts.nobodyIsTold(reason, isCertain: isCertain), style: .bad)
    }
    if let doubt = state.doubt { return StatusLine(text: ScreenTexts.nobodyMayBeTold(doubt), style: .bad) }
    if let problem = state.storeProblem {
      guard state.alert.problem != .statusUnreadable else { return nil }
      return StatusLine(text: ScreenTexts.cannotSave(problem), style: .bad)
    }
    if let problem = state.alert.snapshot.unreadableAlert, !state.alert.isAlertActive {
      return StatusLine(text: ScreenTexts.cannotRead(problem), style: .bad)
    }
    if let problem = state.workerProblem {
      return StatusLine(text: ScreenTexts.notSending(problem), style: .warning)
    }
    if state.isSessionExpired { return StatusLine(text: ScreenTexts.expired, style: .warning) }
    guard state.auth.isAuthenticated else {
      if state.lacksServer {
        return StatusLine(text: ScreenTexts.notSetUp(isAlertUnsent: state.isAlertUnsent), style: .warning)
      }
      return state.panel == .signIn ? nil : notSignedIn(state)
    }
    if let answers = answers(state) { return answers }
    let connection = state.alert.connection
    if connection.pendingCount > 0, let error = connection.lastError {
      return StatusLine(text: ScreenTexts.retrying(error), style: .warning)
    }
    if state.alert.isStale || state.auth.isStale || state.inbox.isStale {
      return StatusLine(text: ScreenTexts.stale, style: .warning)
    }
    if connection.parkedCount > 0 { return StatusLine(text: ScreenTexts.refused, style: .warning) }
    return unsupported(state)
  }

  /// The responders who have a channel that the server cannot use, where the readiness does not say so already.
  private static func unsupported(_ state: ScreenFeature.State) -> StatusLine? {
    guard !state.alert.isAlertActive, let readiness = state.alert.snapshot.readiness,
      readiness.obstacle != .unsupported, !readiness.unsupportedNames.isEmpty
    else { return nil }
    return StatusLine(text: ScreenTexts.unsupported(readiness.unsupportedNames), style: .warning)
  }

  /// Who comes.
  private static func answers(_ state: ScreenFeature.State) -> StatusLine? {
    guard state.alert.isAlertActive, let names = state.alert.delivery?.respondingNames, !names.isEmpty else {
      return nil
    }
    return StatusLine(text: ScreenTexts.responding(names), style: CellStyle(tone: .good, isBold: true))
  }

  private static func notSignedIn(_ state: ScreenFeature.State) -> StatusLine {
    let text =
      state.isAlertUnsent
      ? ScreenTexts.notSentNotSignedIn
      : state.alert.isAlertActive ? ScreenTexts.endWaitsForSignIn : ScreenTexts.notSignedIn
    return StatusLine(text: text, style: .warning)
  }

  private static func panel(_ state: ScreenFeature.State, _ clock: ClockText, _ now: Date) -> Panel {
    let auth = state.auth
    if state.isHelpShown { return .help }
    switch state.panel {
    case .overview: return .overview
    case .history: return .history
    case .inbox:
      guard let alert = state.inbox.selected else { return .inbox(InboxPanel(state, clock)) }
      return .receivedAlert(ReceivedAlertPanel(alert, state, clock, now))
    case .update:
      let alert = state.alert
      return .update(
        UpdatePanel(
          message: alert.updateMessage, place: alert.updatePlace, isPlaceChosen: state.isPlaceChosen,
          isBusy: alert.isSendingUpdate, canSubmit: alert.canSendUpdate))
    case .signIn where auth.isVerificationCodeSent:
      return .code(
        CodePanel(
          phone: state.formattedPhone, code: auth.verificationCode,
          resendInSeconds: auth.canResendCode ? nil : auth.resendCodeTimer, isBusy: auth.isLoading,
          workSeconds: auth.codeWorkSeconds,
          problem: auth.error == nil ? state.signInProblem : nil))
    case .signIn:
      return .phone(
        PhonePanel(
          region: auth.selectedRegion.name,
          callingCode: auth.selectedRegion.callingCode.map { String($0) } ?? "?", number: state.formattedPhone,
          isBusy: auth.isLoading, workSeconds: auth.codeWorkSeconds, canSubmit: auth.isPhoneNumberValid,
          search: state.regionSearch.text,
          problem: auth.error == nil ? state.signInProblem : nil))
    }
  }
}

extension ScreenFeature.State {
  /// Why perhaps nobody is told of the active alert, while no message was sent; nil if it is certain either way, and in a drill.
  var doubt: String? {
    guard alert.isAlertActive, !alert.isDrill, let readiness = alert.snapshot.readiness,
      let obstacle = readiness.obstacle, !obstacle.isCertain
    else { return nil }
    let isAnySent = alert.delivery?.responders.contains { $0.state != .queued && $0.state != .failed } ?? false
    return isAnySent ? nil : readiness.reason
  }

  /// Whether the session has expired, so that only alerts are sent.
  var isSessionExpired: Bool { alert.connection.isSessionExpired && !auth.isAuthenticated }

  /// The number as typed so far, as people write it.
  fileprivate var formattedPhone: String { PhoneFormatter.format(auth.phoneNumber, for: auth.selectedRegion) }
}

extension AlertButton {
  init(_ state: ScreenFeature.State) {
    let alert = state.alert
    if alert.isActivatingAlert {
      self = .saving
    } else if alert.isDeactivatingAlert {
      self = .ending
    } else if alert.isAlertActive {
      self = .active(hold: alert.isHoldingDeactivation ? alert.deactivationProgress : nil)
    } else if state.repeats.mustBeLetGo {
      self = .mustLetGo
    } else if state.notSaved?.wasSent == false, alert.activationProgress == 0 {
      self = .notSaved
    } else {
      let quarters = Int((alert.activationProgress * 4).rounded())
      self = quarters == 0 && state.storeProblem != nil ? .cannotSave : .ready(quarters: quarters)
    }
  }
}

extension HistoryList {
  /// Only as many rows as a screen can show: there may be years of them.
  init(_ state: ScreenFeature.State, _ now: Date, _ clock: ClockText) {
    let records = state.alert.alertHistory
    isLoading = state.alert.isLoadingHistory
    offset = state.historyOffset
    countBefore = max(0, min(offset, records.count - state.size.rows))
    let shown = records.dropFirst(countBefore).prefix(2 * state.size.rows)
    countBehind = records.count - countBefore - shown.count
    rows = shown.map { record in
      let isShort = record.endTime.map { clock.isSameMinute($0, record.startTime) } ?? false
      let end =
        record.isActive
        ? ScreenTexts.now
        : record.endTime.map { clock.end($0, of: record.startTime, showsSeconds: isShort) } ?? ScreenTexts.discarded
      let note = record.isDiscarded ? ScreenTexts.discardedNote : record.stage == .saved ? ScreenTexts.notSentNote : ""
      let period = "\(clock.full(record.startTime, showsSeconds: isShort)) – \(end)"
      return Row(
        period: period + (record.isDrill ? ScreenTexts.drillNote : "")
          + (record.endTime == nil && !record.isActive ? "" : note),
        duration: ClockText.duration(
          (record.endTime ?? (record.isActive ? now : record.startTime)).timeIntervalSince(record.startTime)),
        isActive: record.isActive)
    }
  }
}

extension Dialog {
  init(_ presented: PresentedDialog, chosen: Int?) {
    title = presented.title
    message = presented.message
    buttons = presented.buttons.map { Button(title: $0.title, isDestructive: $0.role == .destructive) }
    self.chosen = presented.chosen(chosen)
  }
}
