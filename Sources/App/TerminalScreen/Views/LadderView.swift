/// How far the alert got, a row for each rung and responder.
enum LadderView {
  static func draw(_ rows: [LadderRow], in area: Rectangle, on canvas: inout Canvas) {
    let inside = area.inset(columns: 1)
    canvas.write("Delivery", in: inside, style: .faint)
    let room = max(0, inside.rows - 1)
    let columns = Columns(rows, of: inside.columns)
    // Long names and words get as many lines as there are to give.
    let limit = lineLimits.first { rowsWanted(rows, columns: area.columns, limit: $0) <= area.rows } ?? 1
    let shown = rows.count <= room ? rows.count : max(0, room - 1)
    var line = 1
    for row in rows.prefix(shown) {
      line += draw(row, columns, limit: limit, line: line, in: inside, on: &canvas)
    }
    if shown < rows.count, room > 0 {
      canvas.write("  and \(rows.count - shown) more", row: room, in: inside, style: .faint)
    }
  }

  /// How many rows it takes on a screen of `columns` to show everything.
  static func rowsWanted(_ rows: [LadderRow], columns: Int) -> Int {
    rowsWanted(rows, columns: columns, limit: lineLimits[0])
  }

  /// How many lines one row may take, the best first.
  private static let lineLimits = [6, 3, 2, 1]

  private static func rowsWanted(_ rows: [LadderRow], columns: Int, limit: Int) -> Int {
    let columns = Columns(rows, of: columns - 2)
    return rows.isEmpty ? 0 : 1 + rows.reduce(0) { $0 + columns.lines($1, limit: limit) }
  }

  /// Gives how many lines it took.
  private static func draw(
    _ row: LadderRow, _ columns: Columns, limit: Int, line: Int, in area: Rectangle, on canvas: inout Canvas
  ) -> Int {
    let (mark, style) = look(row.mark)
    canvas.write(mark, row: line, in: area, style: style)
    for (index, name) in columns.names(row, limit: limit).enumerated() {
      canvas.write(name, row: line + index, column: 2, in: area, limit: columns.name)
    }
    let room = columns.textRoom(row)
    for (index, text) in columns.texts(row, limit: limit).enumerated() {
      canvas.write(text, row: line + index, column: columns.text, in: area, limit: room, style: style)
    }
    if columns.showsTime(row), let time = row.time { canvas.writeRight(time, row: line, in: area, style: .faint) }
    return columns.lines(row, limit: limit)
  }

  /// Where names and words stand on so many columns.
  private struct Columns {
    let all: Int
    /// How many a name has: as many as the longest one takes, up to a third of them all.
    let name: Int
    /// Where the words begin.
    var text: Int { name + 4 }

    init(_ rows: [LadderRow], of columns: Int) {
      all = columns
      let longest = rows.map { TextLayout.width($0.name) }.max() ?? 0
      name = max(min(16, columns / 4), min(longest, columns / 3))
    }

    func lines(_ row: LadderRow, limit: Int) -> Int {
      max(1, names(row, limit: limit).count, texts(row, limit: limit).count)
    }

    func names(_ row: LadderRow, limit: Int) -> [String] { TextLayout.wrapped(row.name, columns: name, lines: limit) }

    func texts(_ row: LadderRow, limit: Int) -> [String] {
      TextLayout.wrapped(row.text, columns: textRoom(row), lines: limit)
    }

    func textRoom(_ row: LadderRow) -> Int { all - text - (showsTime(row) ? timeRoom(row) : 0) }

    /// Where it is narrow, what happened matters more than when.
    func showsTime(_ row: LadderRow) -> Bool { all - text - timeRoom(row) >= min(TextLayout.width(row.text), 24) }

    private func timeRoom(_ row: LadderRow) -> Int { row.time.map { TextLayout.width($0) + 2 } ?? 0 }
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
