/// The page for the phone number.
enum PhoneView {
  static func draw(_ panel: PhonePanel, in area: Rectangle, on canvas: inout Canvas) {
    let inside = area.inset(columns: 1)
    let isRoomy = inside.rows >= 9
    var row = 0
    func next(_ rows: Int = 1) -> Int {
      defer { row += isRoomy ? rows : 1 }
      return row
    }
    canvas.write(SignInTexts.title, row: next(2), in: inside, style: .strong)
    let region = canvas.write(SignInTexts.region(panel.region), row: row, in: inside)
    let code = canvas.write("+\(panel.callingCode)", row: row, column: region + 2, in: inside)
    canvas.write(
      panel.search.isEmpty ? "" : "“\(panel.search)”", row: next(2), column: code + 2, in: inside, style: .faint)
    let number = canvas.write(SignInTexts.number(panel.number), row: row, in: inside)
    canvas.write(panel.isBusy ? " " : "▏", row: next(2), column: number, in: inside, style: .strong)
    canvas.writeWrapped(words(panel), row: row, in: inside, style: panel.problem == nil ? .faint : .warning)
  }

  private static func words(_ panel: PhonePanel) -> String {
    if panel.isBusy { return panel.workSeconds.map(SignInTexts.working) ?? SignInTexts.asking }
    if let problem = panel.problem { return problem }
    return panel.canSubmit ? SignInTexts.canSubmit : SignInTexts.typeNumber
  }
}

/// The page for the six digits.
enum CodeView {
  static let digits = 6

  static func draw(_ panel: CodePanel, in area: Rectangle, on canvas: inout Canvas) {
    let inside = area.inset(columns: 1)
    canvas.write(SignInTexts.code(panel.phone), in: inside, style: .strong)
    if inside.rows >= 8 {
      drawBoxes(
        panel, in: Rectangle(row: inside.row + 2, column: inside.column, rows: 3, columns: inside.columns), &canvas)
    } else {
      let boxes = (0..<digits).map { "[\(digit($0, of: panel) ?? "_")]" }.joined(separator: " ")
      canvas.write(boxes, row: 1, in: inside)
    }
    let row = inside.rows >= 8 ? 6 : 2
    if let problem = panel.problem, !panel.isBusy {
      let next = canvas.writeWrapped(problem, row: row, in: inside, style: .warning)
      canvas.write(resend(panel), row: next, in: inside, style: .faint)
    } else {
      canvas.writeWrapped(panel.isBusy ? busy(panel) : resend(panel), row: row, in: inside, style: .faint)
    }
  }

  private static func busy(_ panel: CodePanel) -> String {
    panel.workSeconds.map(SignInTexts.working) ?? SignInTexts.wait
  }

  private static func drawBoxes(_ panel: CodePanel, in area: Rectangle, _ canvas: inout Canvas) {
    for index in 0..<digits {
      let box = Rectangle(row: area.row, column: area.column + index * 6, rows: 3, columns: 5)
      guard index * 6 + 5 <= area.columns else { return }
      let isNext = index == panel.code.count
      canvas.frame(box, style: isNext ? .strong : .faint)
      canvas.write(digit(index, of: panel) ?? (isNext ? "▏" : " "), row: 1, column: 2, in: box, style: .strong)
    }
  }

  private static func digit(_ index: Int, of panel: CodePanel) -> String? {
    panel.code.dropFirst(index).first.map { String($0) }
  }

  private static func resend(_ panel: CodePanel) -> String {
    panel.resendInSeconds.map(SignInTexts.resendIn) ?? SignInTexts.resend
  }
}
