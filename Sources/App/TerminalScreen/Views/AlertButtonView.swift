/// The big button. Each press fills a quarter of it; while an alert is active, a hold grows from its middle to its edges.
enum AlertButtonView {
  /// `leaving` is what must be pressed first, where Space is not the alert's key.
  static func draw(_ button: AlertButton, leaving: String = "", in area: Rectangle, on canvas: inout Canvas) {
    let style: CellStyle = button.isOfActiveAlert || button == .notSaved || button == .cannotSave ? .bad : .strong
    canvas.frame(area, style: style)
    let inside = area.inset(columns: 1, rows: 1)
    fill(button, inside, on: &canvas)
    let (title, hint) = words(button, leaving: leaving)
    if inside.rows >= 3 {
      plate(title, row: inside.rows / 2 - (hint.isEmpty ? 0 : 1), in: inside, style, on: &canvas)
      plate(hint, row: inside.rows / 2 + 1, in: inside, .plain, on: &canvas)
    } else {
      let both = hint.isEmpty ? title : "\(title): \(hint)"
      plate(TextLayout.width(both) + 4 <= inside.columns ? both : title, row: 0, in: inside, style, on: &canvas)
    }
  }

  private static func fill(_ button: AlertButton, _ inside: Rectangle, on canvas: inout Canvas) {
    var filled = inside
    var style = CellStyle(tone: .bad)
    switch button {
    case .ready(let quarters): filled.columns = inside.columns * min(max(quarters, 0), 4) / 4
    case .notSaved, .cannotSave, .mustLetGo: filled.columns = 0
    case .saving: break
    case .active(let hold):
      let progress = min(max(hold ?? 0, 0), 1)
      filled.columns = Int((Double(inside.columns) * progress).rounded())
      filled.column += (inside.columns - filled.columns) / 2
      style = .good
    case .ending: style = .good
    }
    canvas.fill(filled, with: "█", style: style)
  }

  private static func words(_ button: AlertButton, leaving: String) -> (title: String, hint: String) {
    switch button {
    case .ready(0): (KeyTexts.raise, KeyTexts.press(leaving))
    case .ready(3): (KeyTexts.presses(3), KeyTexts.onceMore)
    case .ready(let quarters): (KeyTexts.presses(quarters), KeyTexts.more(4 - quarters))
    case .notSaved: (KeyTexts.notSaved, KeyTexts.pressAgain(leaving))
    case .cannotSave: (KeyTexts.raise, KeyTexts.cannotSave)
    case .mustLetGo: (KeyTexts.releaseSpace.uppercased(), KeyTexts.hasEnded)
    case .saving: (KeyTexts.saving, "")
    case .active(nil): (KeyTexts.active, leaving.isEmpty ? KeyTexts.holdToEnd : KeyTexts.askInField)
    case .active: (KeyTexts.keepHolding, KeyTexts.letGo)
    case .ending: (KeyTexts.ending, "")
    }
  }

  /// Text with a blank on either side, so that it can be read on the filled part.
  private static func plate(
    _ text: String, row: Int, in area: Rectangle, _ style: CellStyle, on canvas: inout Canvas
  ) {
    if !text.isEmpty { canvas.writeCentered("  \(text)  ", row: row, in: area, style: style) }
  }
}
