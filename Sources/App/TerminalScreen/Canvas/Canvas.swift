/// A grid of cells that views draw on. What does not fit is cut; nothing outside is ever touched.
package struct Canvas: Hashable, Sendable {
  /// One cell. A wide character has a cell of width 2 and behind it one of width 0, which shows nothing of its own.
  package struct Cell: Hashable, Sendable {
    package var text: String
    package var width: Int
    package var style: CellStyle

    static let blank = Cell(text: " ", width: 1, style: .plain)
  }

  package let size: ScreenSize
  /// Each character is one of ASCII.
  package let isASCII: Bool
  private var cells: [Cell]

  package init(_ size: ScreenSize, isASCII: Bool = false) {
    self.size = size
    self.isASCII = isASCII
    cells = Array(repeating: .blank, count: size.columns * size.rows)
  }

  /// The whole of it.
  var bounds: Rectangle { Rectangle(row: 0, column: 0, rows: size.rows, columns: size.columns) }

  /// The cell at a place on the canvas.
  package subscript(row: Int, column: Int) -> Cell { cells[row * size.columns + column] }

  /// Writes one line at a place in `area`, cut to `area` and to `limit` columns. Returns the column behind it, in `area`.
  @discardableResult
  mutating func write(
    _ text: String, row: Int = 0, column: Int = 0, in area: Rectangle, limit: Int = .max, style: CellStyle = .plain
  ) -> Int {
    guard (0..<area.rows).contains(row), column >= 0 else { return column }
    let room = min(limit, area.columns - column)
    var place = column
    for glyph in TextLayout.truncated(Glyph.glyphs(text, isASCII: isASCII), columns: room, isASCII: isASCII) {
      set(glyph, row: area.row + row, column: area.column + place, style)
      place += glyph.width
    }
    return place
  }

  /// Writes as many lines as `text` takes, from `row` on. Returns the row behind them.
  @discardableResult
  mutating func writeWrapped(_ text: String, row: Int, in area: Rectangle, style: CellStyle = .plain) -> Int {
    let lines = TextLayout.wrapped(text, columns: area.columns)
    for (index, line) in lines.enumerated() { write(line, row: row + index, in: area, style: style) }
    return row + lines.count
  }

  /// Writes one line that ends at the right edge of `area`.
  mutating func writeRight(_ text: String, row: Int = 0, in area: Rectangle, style: CellStyle = .plain) {
    write(text, row: row, column: max(0, area.columns - width(text)), in: area, style: style)
  }

  /// Writes one line in the middle of `area`.
  mutating func writeCentered(_ text: String, row: Int = 0, in area: Rectangle, style: CellStyle = .plain) {
    write(text, row: row, column: max(0, (area.columns - width(text)) / 2), in: area, style: style)
  }

  /// Fills `area` with a character of one cell.
  mutating func fill(_ area: Rectangle, with character: Character = " ", style: CellStyle = .plain) {
    guard area.columns > 0 else { return }
    let line = String(repeating: character, count: area.columns)
    for row in 0..<area.rows { write(line, row: row, in: area, style: style) }
  }

  /// Draws a frame along the inner edge of `area`.
  mutating func frame(_ area: Rectangle, style: CellStyle = .plain) {
    guard area.rows >= 2, area.columns >= 2 else { return }
    let line = String(repeating: "─", count: area.columns - 2)
    write("╭" + line + "╮", in: area, style: style)
    write("╰" + line + "╯", row: area.rows - 1, in: area, style: style)
    for row in 1..<(area.rows - 1) {
      write("│", row: row, in: area, style: style)
      write("│", row: row, column: area.columns - 1, in: area, style: style)
    }
  }

  /// What it shows, without styles: its rows, without the blanks at their ends.
  package var lines: [String] {
    (0..<size.rows).map { row in
      let text = (0..<size.columns).map { self[row, $0].text }.joined()
      return String(text.reversed().drop { $0 == " " }.reversed())
    }
  }

  private func width(_ text: String) -> Int { Glyph.glyphs(text, isASCII: isASCII).reduce(0) { $0 + $1.width } }

  private mutating func set(_ glyph: Glyph, row: Int, column: Int, _ style: CellStyle) {
    guard (0..<size.rows).contains(row), column >= 0, column + glyph.width <= size.columns else { return }
    let index = row * size.columns + column
    // Half a character cannot be shown: what is left of an overwritten wide one becomes a blank.
    if cells[index].width == 0 { cells[index - 1] = .blank }
    let last = index + glyph.width - 1
    if cells[last].width == 2, column + glyph.width < size.columns { cells[last + 1] = .blank }
    cells[index] = Cell(text: glyph.text, width: glyph.width, style: style)
    if glyph.width == 2 { cells[index + 1] = Cell(text: "", width: 0, style: style) }
  }
}
