/// Somebody else who needs help: the name is cut, so that the words and the key stay.
enum CallLineView {
  static func draw(_ call: CallLine, leaving: String, in area: Rectangle, on canvas: inout Canvas) {
    let line = area.inset(columns: 1)
    let key = InboxTexts.open(leaving)
    let whole = call.words + call.detail + key
    let words = line.columns - TextLayout.width(whole) >= nameColumns ? whole : call.words + key
    let room = line.columns - TextLayout.width(words)
    let end = canvas.write(call.name, in: line, limit: max(1, room), style: call.style)
    canvas.write(words, column: end, in: line, style: call.style)
  }

  /// How many cells of a name matter more than the time.
  private static let nameColumns = 12
}

/// The list of others' alerts, scrolled so that the chosen one is visible.
enum InboxView {
  static func draw(_ panel: InboxPanel, in area: Rectangle, on canvas: inout Canvas) {
    let inside = area.inset(columns: 1)
    guard inside.rows > 0 else { return }
    let hasTitle = inside.rows > 2
    if hasTitle { canvas.write(InboxTexts.list, in: inside, style: .faint) }
    let first = hasTitle ? 1 : 0
    guard !panel.rows.isEmpty else {
      canvas.writeWrapped(panel.emptyText, row: first, in: inside, style: .faint)
      return
    }
    let room = inside.rows - first
    let offset = min(max(0, panel.chosen - room / 2), max(0, panel.rows.count - room))
    for (index, row) in panel.rows.dropFirst(offset).prefix(room).enumerated() {
      draw(row, isChosen: offset + index == panel.chosen, row: first + index, in: inside, on: &canvas)
    }
  }

  /// The state of the alert is always whole; the name, and then the answer, give way.
  private static func draw(
    _ row: InboxPanel.Row, isChosen: Bool, row index: Int, in area: Rectangle, on canvas: inout Canvas
  ) {
    canvas.write(isChosen ? "▸" : " ", row: index, in: area, style: .strong)
    let words = TextLayout.width(row.words) + 2
    let answer = TextLayout.width(row.answer) + 2
    let room = area.columns - 2 - words
    let showsAnswer = room - answer >= min(TextLayout.width(row.name), nameColumns)
    let limit = max(1, showsAnswer ? room - answer : room)
    let end = canvas.write(row.name, row: index, column: 2, in: area, limit: limit, style: row.style)
    canvas.write(row.words, row: index, column: end + 2, in: area, style: row.style)
    if showsAnswer { canvas.writeRight(row.answer, row: index, in: area, style: isChosen ? .strong : .plain) }
  }

  /// How many cells of a name matter more than the answer.
  private static let nameColumns = 12
}

/// An open alert: what is known of it, scrolled, above the line and the keys that answer.
enum ReceivedAlertView {
  static func draw(_ panel: ReceivedAlertPanel, in area: Rectangle, on canvas: inout Canvas) {
    var inside = area.inset(columns: 1)
    let bottom = bottomLines(panel, in: inside)
    let low = inside.takeLastRows(bottom.count)
    for (row, line) in bottom.enumerated() { canvas.write(line, row: row, in: low, style: .strong) }
    let lines = wrapped(panel, columns: inside.columns)
    let offset = min(panel.offset, max(0, lines.count - inside.rows))
    for (row, line) in lines.dropFirst(offset).prefix(inside.rows).enumerated() {
      canvas.write(line.text, row: row, in: inside, style: line.style)
    }
    if offset + inside.rows < lines.count, inside.rows > 0 {
      canvas.writeRight("▾", row: inside.rows - 1, in: inside, style: .faint)
    }
  }

  /// How many rows can be scrolled out at the top.
  static func offsetLimit(_ panel: ReceivedAlertPanel, in area: Rectangle) -> Int {
    let inside = area.inset(columns: 1)
    let room = inside.rows - bottomLines(panel, in: inside).count
    return max(0, wrapped(panel, columns: inside.columns).count - max(0, room))
  }

  private static func wrapped(_ panel: ReceivedAlertPanel, columns: Int) -> [StatusLine] {
    panel.lines.flatMap { line in
      TextLayout.wrapped(line.text, columns: columns).map { StatusLine(text: $0, style: line.style) }
    }
  }

  /// The line and the keys. They leave a row to what is known, and of a long line the end is shown.
  private static func bottomLines(_ panel: ReceivedAlertPanel, in area: Rectangle) -> [String] {
    let keys = panel.answers.isEmpty ? [] : TextLayout.wrapped(panel.answers, columns: area.columns)
    let shownKeys = keys.prefix(max(0, area.rows - 1 - (hasLine(panel) ? 1 : 0)))
    guard hasLine(panel) else { return Array(shownKeys) }
    let text = "\(InboxTexts.line): \(panel.line)" + (panel.isWriting && !panel.isBusy ? "▏" : "")
    let room = min(lineRows, max(0, area.rows - 1 - shownKeys.count))
    return TextLayout.wrapped(text, columns: area.columns).suffix(room) + shownKeys
  }

  private static func hasLine(_ panel: ReceivedAlertPanel) -> Bool { panel.isWriting || !panel.line.isEmpty }

  /// How many rows a line takes at most.
  private static let lineRows = 3
}
