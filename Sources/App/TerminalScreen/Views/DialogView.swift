/// A box with a question or a message, and the buttons that answer it.
enum DialogView {
  /// Where it is to stand, so that what is above stays in sight.
  struct Room {
    var area: Rectangle
    /// At its lower edge, without blank rows and as wide as it may be where it would not fit otherwise.
    var isLow: Bool
  }

  /// In `room` where it fits, else anywhere on the screen; one that is low, over as little above the room as it must.
  static func draw(_ dialog: Dialog, in room: Room, screen: Rectangle, on canvas: inout Canvas) {
    let shape = Shape(dialog, columns: min(screen.columns - 4, 64), isDense: false)
    guard room.isLow else {
      let space = shape.rows <= room.area.rows ? room.area : screen
      return draw(
        dialog, shape, row: space.row + (space.rows - min(shape.rows, screen.rows)) / 2, screen, on: &canvas)
    }
    let low =
      shape.rows <= room.area.rows ? shape : Shape(dialog, columns: screen.columns - 4, isDense: true)
    let end = room.area.row + room.area.rows
    draw(dialog, low, row: max(screen.row, end - low.rows), screen, on: &canvas)
  }

  /// What a dialog takes on so many columns.
  private struct Shape {
    let columns: Int
    let isDense: Bool
    let message: [String]
    let isStacked: Bool
    let buttonRows: Int

    init(_ dialog: Dialog, columns: Int, isDense: Bool) {
      self.columns = columns
      self.isDense = isDense
      message = dialog.message.map { TextLayout.wrapped($0, columns: columns - 4) } ?? []
      isStacked = titles(dialog).reduce(-2) { $0 + TextLayout.width($1) + 2 } > columns - 4
      buttonRows = isStacked ? dialog.buttons.count : 1
    }

    var rows: Int { message.count + buttonRows + (isDense ? 3 : message.isEmpty ? 4 : 5) }
  }

  private static func draw(
    _ dialog: Dialog, _ shape: Shape, row: Int, _ screen: Rectangle, on canvas: inout Canvas
  ) {
    let box = Rectangle(
      row: row, column: screen.column + (screen.columns - shape.columns) / 2, rows: min(shape.rows, screen.rows),
      columns: shape.columns)
    canvas.fill(box)
    canvas.frame(box, style: .strong)
    var inside = box.inset(columns: 2, rows: 1)
    let buttons = inside.takeLastRows(shape.buttonRows)
    canvas.write(dialog.title, row: 0, in: inside, style: .strong)
    _ = inside.takeRows(shape.isDense ? 1 : 2)
    for (row, line) in shape.message.prefix(max(0, inside.rows)).enumerated() {
      canvas.write(line, row: row, in: inside)
    }
    drawButtons(dialog, isStacked: shape.isStacked, in: buttons, on: &canvas)
  }

  /// In one row, or one under the other where that is too long.
  private static func drawButtons(
    _ dialog: Dialog, isStacked: Bool, in area: Rectangle, on canvas: inout Canvas
  ) {
    let titles = titles(dialog)
    var column = max(0, area.columns - titles.reduce(-2) { $0 + TextLayout.width($1) + 2 })
    for (index, title) in titles.enumerated() {
      var style: CellStyle = dialog.buttons[index].isDestructive ? .bad : .plain
      style.isReversed = index == dialog.chosen
      if isStacked {
        canvas.write(title, row: index, in: area, style: style)
      } else {
        column = canvas.write(title, column: column, in: area, style: style) + 2
      }
    }
  }

  /// The chosen one is told by its marks too, for terminals that cannot turn colours around.
  private static func titles(_ dialog: Dialog) -> [String] {
    dialog.buttons.enumerated().map { index, button in
      index == dialog.chosen ? "[▸ \(button.title) ◂]" : "[  \(button.title)  ]"
    }
  }
}
