import FoundationEssentials
import LifeSignalFeatures

extension CallLine {
  /// The alert that needs the person most, unless the list or the alert itself is shown.
  init?(_ state: ScreenFeature.State, _ clock: ClockText) {
    guard let alert = state.inbox.mostUrgent, !state.shows(alert) else { return nil }
    let others = state.inbox.alerts.count { $0.isActive } - 1
    name = alert.person.uppercased()
    words = alert.isDrill ? InboxTexts.drill : InboxTexts.needsHelp
    detail = InboxTexts.since(clock.short(alert.startTime)) + (others > 0 ? InboxTexts.others(others) : "")
    style = alert.isDrill ? .warning : .bad
    style.isReversed = alert.needsAnswer
  }
}

extension ScreenFeature.State {
  /// Whether this active alert is shown, by itself or in the list.
  fileprivate func shows(_ alert: ReceivedAlert) -> Bool {
    panel == .inbox && !isHelpShown && (inbox.selected.map { $0.id == alert.id } ?? true)
  }
}

extension InboxPanel {
  init(_ state: ScreenFeature.State, _ clock: ClockText) {
    rows = state.inbox.alerts.map { Row($0, clock) }
    chosen = state.chosenAlertIndex
    emptyText = state.auth.isAuthenticated ? InboxTexts.none : InboxTexts.noneNotSignedIn
  }
}

extension InboxPanel.Row {
  fileprivate init(_ alert: ReceivedAlert, _ clock: ClockText) {
    name = alert.person
    words = InboxTexts.state(of: alert, clock)
    answer = InboxTexts.answerInList(alert)
    style = !alert.isActive ? .plain : alert.isDrill ? .warning : .bad
  }
}

extension ReceivedAlertPanel {
  init(_ alert: ReceivedAlert, _ state: ScreenFeature.State, _ clock: ClockText, _ now: Date) {
    let inbox = state.inbox
    lines = Self.lines(alert, clock, now)
    offset = state.detailsOffset
    isWriting = state.isWritingLine
    isBusy = inbox.isSending
    line = inbox.answerText
    answers = isBusy ? InboxTexts.saving : alert.isActive ? Self.keys(state) : ""
  }

  private static func keys(_ state: ScreenFeature.State) -> String {
    if state.isWritingLine { return InboxTexts.lineHint }
    if let answer = state.answerToRepeat { return InboxTexts.pressAgain(answer) }
    return InboxTexts.answerKeys(canHandOver: state.inbox.canAnswer(with: .handingOver))
  }

  private static func lines(_ alert: ReceivedAlert, _ clock: ClockText, _ now: Date) -> [StatusLine] {
    let title = StatusLine(
      text: InboxTexts.title(of: alert, clock), style: !alert.isActive ? .good : alert.isDrill ? .warning : .bad)
    let confirmation = alert.isActive && alert.isAskedToConfirm && !alert.isAnswerWaiting
    let silence = alert.noContactSince.map {
      StatusLine(text: InboxTexts.noContact(since: clock.short($0)), style: .warning)
    }
    return [title] + [silence].compactMap(\.self)
      + (confirmation ? [StatusLine(text: InboxTexts.stillComing, style: .bad)] : [])
      + [answer(alert, clock)].compactMap(\.self)
      + details(alert, clock, now).map { StatusLine(text: $0, style: .plain) }
  }

  private static func answer(_ alert: ReceivedAlert, _ clock: ClockText) -> StatusLine? {
    if let refusal = alert.refusal {
      return StatusLine(text: InboxTexts.refused(refusal), style: .warning)
    }
    guard let answer = alert.answer else {
      return alert.isActive ? StatusLine(text: InboxTexts.noAnswer, style: .warning) : nil
    }
    let time = alert.isAnswerWaiting ? nil : answer.time.map(clock.short)
    let text = InboxTexts.answer(answer, isWaiting: alert.isAnswerWaiting, at: time)
    return StatusLine(text: text, style: alert.isAnswerWaiting ? .warning : .good)
  }

  private static func details(_ alert: ReceivedAlert, _ clock: ClockText, _ now: Date) -> [String] {
    var lines: [String] = []
    if let message = alert.message { lines.append(InboxTexts.message(message)) }
    if let place = alert.place {
      lines.append(InboxTexts.place(place, seconds: now.timeIntervalSince(place.time)))
    }
    if let percent = alert.batteryPercent { lines.append(InboxTexts.battery(percent)) }
    if alert.isActive || !alert.comers.isEmpty { lines.append(InboxTexts.comers(alert.comers)) }
    if alert.isActive, alert.askedAgain > 0 { lines.append(InboxTexts.askedAgain(alert.askedAgain)) }
    lines.append(InboxTexts.call(alert.phone))
    if let url = alert.pageURL { lines.append(InboxTexts.page(url)) }
    return lines + earlier(alert, clock)
  }

  private static func earlier(_ alert: ReceivedAlert, _ clock: ClockText) -> [String] {
    var lines = alert.earlierMessages.map { InboxTexts.earlier($0.text, at: clock.short($0.time)) }
    if alert.hasMoreMessages { lines.insert(InboxTexts.moreMessages, at: max(0, lines.count - 1)) }
    return lines
  }
}
