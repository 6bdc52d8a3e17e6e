/// A box with a question or a message, and the buttons that answer it.
enum DialogueView {
  /// In `area` where it fits, so that the alert's button stays in sight, else anywhere on the screen.
  static func draw(_ dialogue: Dialogue, in area: Rectangle, screen: Rectangle, on canvas: inout Canvas) {
    let columns = min(screen.columns - 4, 64)
    let message = dialogue.message.map { TextLayout.wrapped($0, columns: columns - 4) } ?? []
    let isStacked = titles(dialogue).reduce(-2) { $0 + TextLayout.width($1) + 2 } > columns - 4
    let buttonRows = isStacked ? dialogue.buttons.count : 1
    let rows = min(message.count + buttonRows + (message.isEmpty ? 4 : 5), screen.rows)
    let space = rows <= area.rows ? area : screen
    let box = Rectangle(
      row: space.row + (space.rows - rows) / 2, column: screen.column + (screen.columns - columns) / 2, rows: rows,
      columns: columns)
    canvas.fill(box)
    canvas.frame(box, style: .strong)
    var inside = box.inset(columns: 2, rows: 1)
    let buttons = inside.takeLastRows(buttonRows)
    canvas.write(dialogue.title, row: 0, in: inside, style: .strong)
    _ = inside.takeRows(2)
    for (row, line) in message.prefix(max(0, inside.rows)).enumerated() { canvas.write(line, row: row, in: inside) }
    drawButtons(dialogue, isStacked: isStacked, in: buttons, on: &canvas)
  }

  /// In one row, or one under the other where that is too long.
  private static func drawButtons(
    _ dialogue: Dialogue, isStacked: Bool, in area: Rectangle, on canvas: inout Canvas
  ) {
    let titles = titles(dialogue)
    var column = max(0, area.columns - titles.reduce(-2) { $0 + TextLayout.width($1) + 2 })
    for (index, title) in titles.enumerated() {
      var style: CellStyle = dialogue.buttons[index].isDestructive ? .bad : .plain
      style.isReversed = index == dialogue.chosen
      if isStacked {
        canvas.write(title, row: index, in: area, style: style)
      } else {
        column = canvas.write(title, column: column, in: area, style: style) + 2
      }
    }
  }

  /// The chosen one is told by its marks too, for terminals that cannot turn colours around.
  private static func titles(_ dialogue: Dialogue) -> [String] {
    dialogue.buttons.enumerated().map { index, button in
      index == dialogue.chosen ? "[▸ \(button.title) ◂]" : "[  \(button.title)  ]"
    }
  }
}
