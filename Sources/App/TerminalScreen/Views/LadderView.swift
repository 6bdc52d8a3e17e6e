/// How far the alert got, a row for each rung and responder.
enum LadderView {
  static func draw(_ rows: [LadderRow], in area: Rectangle, on canvas: inout Canvas) {
    let inside = area.inset(columns: 1)
    canvas.write("Delivery", in: inside, style: .faint)
    let room = max(0, inside.rows - 1)
    // Long words get a second line where there is one to give.
    let isRoomy = rowsWanted(rows, columns: area.columns) <= area.rows
    let shown = rows.count <= room ? rows.count : max(0, room - 1)
    var line = 1
    for row in rows.prefix(shown) {
      let texts = isRoomy ? texts(row, columns: inside.columns) : [row.text]
      draw(row, texts, line: line, in: inside, on: &canvas)
      line += texts.count
    }
    if shown < rows.count, room > 0 {
      canvas.write("  and \(rows.count - shown) more", row: room, in: inside, style: .faint)
    }
  }

  /// How many rows it takes on a screen of `columns` to show everything.
  static func rowsWanted(_ rows: [LadderRow], columns: Int) -> Int {
    rows.isEmpty ? 0 : 1 + rows.reduce(0) { $0 + texts($1, columns: columns - 2).count }
  }

  private static func draw(
    _ row: LadderRow, _ texts: [String], line: Int, in area: Rectangle, on canvas: inout Canvas
  ) {
    let (mark, style) = look(row.mark)
    let column = textColumn(area.columns)
    canvas.write(mark, row: line, in: area, style: style)
    canvas.write(row.name, row: line, column: 2, in: area, limit: column - 4)
    let room = textColumns(row, columns: area.columns)
    for (index, text) in texts.enumerated() {
      canvas.write(text, row: line + index, column: column, in: area, limit: room, style: style)
    }
    if showsTime(row, columns: area.columns), let time = row.time {
      canvas.writeRight(time, row: line, in: area, style: .faint)
    }
  }

  /// What happened, in one line or two.
  private static func texts(_ row: LadderRow, columns: Int) -> [String] {
    let lines = TextLayout.wrapped(row.text, columns: textColumns(row, columns: columns))
    return lines.count <= 2 ? lines : [lines[0], lines[1...].joined(separator: " ")]
  }

  private static func textColumn(_ columns: Int) -> Int { min(16, columns / 4) + 4 }

  private static func textColumns(_ row: LadderRow, columns: Int) -> Int {
    columns - textColumn(columns) - (showsTime(row, columns: columns) ? timeColumns(row) : 0)
  }

  private static func timeColumns(_ row: LadderRow) -> Int { row.time.map { TextLayout.width($0) + 2 } ?? 0 }

  /// Where it is narrow, what happened matters more than when.
  private static func showsTime(_ row: LadderRow, columns: Int) -> Bool {
    columns - textColumn(columns) - timeColumns(row) >= min(TextLayout.width(row.text), 24)
  }

  private static func look(_ mark: LadderRow.Mark) -> (String, CellStyle) {
    switch mark {
    case .reached: ("✓", .good)
    case .waiting: ("○", .warning)
    case .failed: ("✗", .bad)
    case .responding: ("★", CellStyle(tone: .good, isBold: true))
    }
  }
}
