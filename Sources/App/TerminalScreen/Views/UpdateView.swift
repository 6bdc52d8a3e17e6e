/// The page for a message to the responders of the active alert.
enum UpdateView {
  static func draw(_ panel: UpdatePanel, in area: Rectangle, on canvas: inout Canvas) {
    let inside = area.inset(columns: 1)
    let isRoomy = inside.rows >= 7
    canvas.write(ScreenTexts.updateTitle, in: inside, style: .strong)
    var row = isRoomy ? 2 : 1
    row = field(
      ScreenTexts.updateMessage, panel.message, isChosen: !panel.isPlaceChosen, row: row,
      lines: max(1, inside.rows - (isRoomy ? 5 : 3)), panel, in: inside, on: &canvas)
    row = field(
      ScreenTexts.updatePlace, panel.place, isChosen: panel.isPlaceChosen, row: row, lines: 1, panel, in: inside,
      on: &canvas)
    canvas.writeWrapped(words(panel), row: row + (isRoomy ? 1 : 0), in: inside, style: .faint)
  }

  /// Writes the end of the text where it does not fit, because that is where the person types. Returns the next row.
  private static func field(
    _ name: String, _ text: String, isChosen: Bool, row: Int, lines: Int, _ panel: UpdatePanel, in area: Rectangle,
    on canvas: inout Canvas
  ) -> Int {
    let start = canvas.write(name, row: row, in: area, style: isChosen ? .strong : .faint) + 2
    let cursor = isChosen && !panel.isBusy ? "▏" : ""
    let shown = TextLayout.wrapped(text + cursor, columns: max(1, area.columns - start)).suffix(lines)
    for (index, line) in shown.enumerated() { canvas.write(line, row: row + index, column: start, in: area) }
    return row + max(1, shown.count)
  }

  private static func words(_ panel: UpdatePanel) -> String {
    if panel.isBusy { return ScreenTexts.updateSaving }
    if panel.isPlaceChosen { return ScreenTexts.updateHint }
    return panel.canSubmit ? ScreenTexts.updateReady : ScreenTexts.updateHint
  }
}
