/// Draws the whole screen.
package enum ScreenView {
  /// On a smaller screen the parts do not fit, and one line says so.
  package static let smallest = ScreenSize(columns: 36, rows: 10)

  /// `model` on a screen of `size`. The same values always give the same cells.
  package static func draw(_ model: ScreenModel, size: ScreenSize, isASCII: Bool = false) -> Canvas {
    var canvas = Canvas(size, isASCII: isASCII)
    guard size.columns >= smallest.columns, size.rows >= smallest.rows else {
      TooSmallView.draw(model, on: &canvas)
      return canvas
    }
    var rest = canvas.bounds
    TitleView.draw(model, in: rest.takeRows(1), on: &canvas)
    KeyHintView.draw(model.keys, in: rest.takeLastRows(1), on: &canvas)
    AlertButtonView.draw(
      model.button, leaving: leaving(model.panel), in: rest.takeRows(buttonRows(size)), on: &canvas)
    StatusLineView.draw(model.status, in: rest.takeRows(1), on: &canvas)
    if let readiness = shownReadiness(model, size) {
      StatusLineView.draw(readiness, in: rest.takeRows(1), on: &canvas)
    }
    if let call = model.call {
      CallLineView.draw(call, leaving: leaving(model.panel), in: rest.takeRows(1), on: &canvas)
    }
    if let notice = model.notice { NoticeView.draw(notice, limit: noticeRows(size), in: &rest, on: &canvas) }
    if isRoomy(size) { _ = rest.takeRows(1) }
    let lower = rest
    drawPanel(model, in: rest.takeRows(rest.rows), on: &canvas)
    if let dialog = model.dialog {
      DialogView.draw(dialog, in: room(for: model, in: lower), screen: canvas.bounds, on: &canvas)
    }
    return canvas
  }

  /// Where a dialog stands: while an alert is active, under its delivery ladder.
  private static func room(for model: ScreenModel, in lower: Rectangle) -> DialogView.Room {
    guard model.panel == .overview, model.button.isOfActiveAlert, !model.ladder.isEmpty else {
      return DialogView.Room(area: lower, isLow: false)
    }
    return DialogView.Room(area: OverviewView.parts(model, in: lower).history, isLow: true)
  }

  /// How many rows of the history a screen shows: one page.
  package static func historyRows(_ model: ScreenModel, size: ScreenSize) -> Int {
    guard size.columns >= smallest.columns, size.rows >= smallest.rows else { return 1 }
    let panel = panelArea(model, size)
    guard model.panel == .overview else { return max(1, panel.rows - 1) }
    return max(1, OverviewView.parts(model, in: panel).history.rows - 1)
  }

  /// How many rows of an open alert can be scrolled out at the top.
  static func detailsOffsetLimit(_ model: ScreenModel, size: ScreenSize) -> Int {
    guard size.columns >= smallest.columns, size.rows >= smallest.rows, case .receivedAlert(let alert) = model.panel
    else { return 0 }
    return ReceivedAlertView.offsetLimit(alert, in: panelArea(model, size))
  }

  /// As large as what is left for the panel.
  private static func panelArea(_ model: ScreenModel, _ size: ScreenSize) -> Rectangle {
    let notice = model.notice.map { NoticeView.rows($0, columns: size.columns, limit: noticeRows(size)) } ?? 0
    let others = [shownReadiness(model, size) != nil, model.call != nil, isRoomy(size)].count { $0 }
    return Rectangle(
      row: 0, column: 0, rows: size.rows - 3 - buttonRows(size) - notice - others, columns: size.columns)
  }

  /// On a low screen somebody else's call takes its row.
  private static func shownReadiness(_ model: ScreenModel, _ size: ScreenSize) -> StatusLine? {
    model.call == nil || size.rows >= 18 ? model.readiness : nil
  }

  private static func isRoomy(_ size: ScreenSize) -> Bool { size.rows >= 20 }

  /// How many lines a notice may take: all of it on most screens.
  private static func noticeRows(_ size: ScreenSize) -> Int { size.rows >= 18 ? 4 : 2 }

  private static func buttonRows(_ size: ScreenSize) -> Int { size.rows >= 18 ? 5 : 3 }

  private static func leaving(_ panel: ScreenModel.Panel) -> String {
    switch panel {
    case .overview, .history, .help, .inbox: ""
    case .receivedAlert(let alert): alert.isWriting ? KeyTexts.escThen : ""
    case .phone, .update: KeyTexts.escThen
    case .code: KeyTexts.escTwiceThen
    }
  }

  private static func drawPanel(_ model: ScreenModel, in area: Rectangle, on canvas: inout Canvas) {
    switch model.panel {
    case .overview: OverviewView.draw(model, in: area, on: &canvas)
    case .history: HistoryView.draw(model.history, in: area, on: &canvas)
    case .help: HelpView.draw(in: area, on: &canvas)
    case .phone(let panel): PhoneView.draw(panel, in: area, on: &canvas)
    case .code(let panel): CodeView.draw(panel, in: area, on: &canvas)
    case .update(let panel): UpdateView.draw(panel, in: area, on: &canvas)
    case .inbox(let panel): InboxView.draw(panel, in: area, on: &canvas)
    case .receivedAlert(let panel): ReceivedAlertView.draw(panel, in: area, on: &canvas)
    }
  }
}

/// The delivery ladder above the history.
enum OverviewView {
  static func draw(_ model: ScreenModel, in area: Rectangle, on canvas: inout Canvas) {
    let parts = parts(model, in: area)
    if !model.ladder.isEmpty { LadderView.draw(model.ladder, in: parts.ladder, on: &canvas) }
    HistoryView.draw(model.history, in: parts.history, on: &canvas)
  }

  /// The ladder gets what it needs, but leaves three rows to the history where there are more than eight.
  static func parts(_ model: ScreenModel, in area: Rectangle) -> (ladder: Rectangle, history: Rectangle) {
    var rest = area
    let wanted = LadderView.rowsWanted(model.ladder, columns: area.columns)
    let ladder = rest.takeRows(min(wanted, area.rows - (area.rows > 8 ? 3 : 0)))
    if wanted > 0, rest.rows > 5 { _ = rest.takeRows(1) }
    return (ladder, rest)
  }
}

/// The content of a screen that is too small for the rest.
enum TooSmallView {
  static func draw(_ model: ScreenModel, on canvas: inout Canvas) {
    let short =
      switch model.button {
      case .ready(0): KeyTexts.pressForAlert
      case .ready(let quarters): KeyTexts.presses(quarters)
      case .notSaved: ScreenTexts.notSavedShort
      case .cannotSave: ScreenTexts.cannotSaveShort
      case .mustLetGo: KeyTexts.releaseSpace + "."
      case .saving: ScreenTexts.savingShort
      case .active(nil): KeyTexts.active
      case .active(let hold): ScreenTexts.endingPercent(Int((hold ?? 0) * 100))
      case .ending: ScreenTexts.endingShort
      }
    var rest = canvas.bounds
    let lines = TextLayout.wrapped("\(short) \(ScreenTexts.tooSmall)", columns: canvas.size.columns)
    for (row, line) in lines.enumerated() { canvas.write(line, row: row, in: rest, style: .strong) }
    _ = rest.takeRows(min(rest.rows, lines.count))
    for (row, line) in facts(model).prefix(rest.rows).enumerated() { canvas.write(line, row: row, in: rest) }
  }

  /// What matters most of the rest: how far the active alert got, and whether anybody can hear of one.
  private static func facts(_ model: ScreenModel) -> [String] {
    let connection = TitleView.shortest(model.connection)
    guard model.button.isOfActiveAlert else { return (model.call.map { [$0.text] } ?? []) + [connection] }
    return model.ladder.prefix(2).map { "\($0.name): \($0.text)" } + [connection]
      + model.ladder.dropFirst(2).map { "\($0.name): \($0.text)" }
  }
}
