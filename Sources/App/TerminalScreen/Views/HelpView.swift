/// All keys, each with what it does.
enum HelpView {
  private static let keyColumns = 12

  static func draw(in area: Rectangle, on canvas: inout Canvas) {
    let inside = area.inset(columns: 1)
    canvas.write(KeyTexts.allTitle, in: inside, style: .faint)
    var row = 1
    for (key, meaning) in KeyTexts.all {
      let lines = TextLayout.wrapped(meaning, columns: inside.columns - keyColumns)
      guard row + lines.count <= inside.rows else {
        canvas.write("…", row: min(row, inside.rows - 1), in: inside, style: .faint)
        return
      }
      canvas.write(key, row: row, in: inside, limit: keyColumns - 1, style: .strong)
      for line in lines {
        canvas.write(line, row: row, column: keyColumns, in: inside)
        row += 1
      }
    }
  }
}
