/// A box with a question or a message, and the buttons that answer it.
enum DialogueView {
  /// In `area` where it fits, so that the alert's button stays in sight, else anywhere on the screen.
  static func draw(_ dialogue: Dialogue, in area: Rectangle, screen: Rectangle, on canvas: inout Canvas) {
    let columns = min(screen.columns - 4, 64)
    let message = dialogue.message.map { TextLayout.wrapped($0, columns: columns - 4) } ?? []
    let rows = min(message.count + (message.isEmpty ? 5 : 6), screen.rows)
    let space = rows <= area.rows ? area : screen
    let box = Rectangle(
      row: space.row + (space.rows - rows) / 2, column: screen.column + (screen.columns - columns) / 2, rows: rows,
      columns: columns)
    canvas.fill(box)
    canvas.frame(box, style: .strong)
    var inside = box.inset(columns: 2, rows: 1)
    let buttons = inside.takeLastRows(1)
    canvas.write(dialogue.title, row: 0, in: inside, style: .strong)
    _ = inside.takeRows(2)
    for (row, line) in message.prefix(max(0, inside.rows)).enumerated() { canvas.write(line, row: row, in: inside) }
    drawButtons(dialogue, in: buttons, on: &canvas)
  }

  private static func drawButtons(_ dialogue: Dialogue, in area: Rectangle, on canvas: inout Canvas) {
    // The chosen one is told by its brackets too, for terminals that cannot turn colours around.
    let titles = dialogue.buttons.enumerated().map { index, button in
      index == dialogue.chosen ? "[▸ \(button.title) ◂]" : "[  \(button.title)  ]"
    }
    var column = max(0, area.columns - titles.reduce(0) { $0 + TextLayout.width($1) + 2 } + 2)
    for (index, title) in titles.enumerated() {
      let button = dialogue.buttons[index]
      var style: CellStyle = button.isDestructive ? .bad : .plain
      style.isReversed = index == dialogue.chosen
      column = canvas.write(title, column: column, in: area, style: style) + 2
    }
  }
}
