/// The list of alerts, scrolled.
enum HistoryView {
  static func draw(_ history: HistoryList, in area: Rectangle, on canvas: inout Canvas) {
    let inside = area.inset(columns: 1)
    guard inside.rows > 0 else { return }
    let room = inside.rows - 1
    let offset = min(max(0, history.offset), max(0, history.count - room))
    canvas.write(ScreenTexts.history, in: inside, style: .faint)
    canvas.writeRight(position(history, offset: offset, room: room), in: inside, style: .faint)
    for (index, row) in history.rows.dropFirst(offset - history.countBefore).prefix(room).enumerated() {
      draw(row, row: index + 1, in: inside, on: &canvas)
    }
    if history.rows.isEmpty {
      canvas.write(
        history.isLoading ? ScreenTexts.loading : ScreenTexts.noHistory, row: 1, column: 2, in: inside, style: .faint)
    }
  }

  private static func draw(_ row: HistoryList.Row, row index: Int, in area: Rectangle, on canvas: inout Canvas) {
    let style: CellStyle = row.isActive ? .bad : .plain
    let room = area.columns - TextLayout.width(row.duration) - 2
    canvas.write(row.isActive ? "●" : "·", row: index, in: area, style: style)
    canvas.write(row.period, row: index, column: 2, in: area, limit: room - 2, style: style)
    canvas.writeRight(row.duration, row: index, in: area, style: style)
  }

  /// Which rows are shown, where that is not all.
  private static func position(_ history: HistoryList, offset: Int, room: Int) -> String {
    guard history.count > room, room > 0 else { return "" }
    return ScreenTexts.position(offset + 1, min(offset + room, history.count), of: history.count)
  }
}
