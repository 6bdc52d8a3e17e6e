/// The top line: the name, and the connection.
enum TitleView {
  static func draw(_ model: ScreenModel, in area: Rectangle, on canvas: inout Canvas) {
    let line = area.inset(columns: 1)
    canvas.fill(area, style: .reversed)
    let name = canvas.write("LifeSignal", in: line, style: CellStyle(isBold: true, isReversed: true))
    let text = text(model, columns: line.columns - name - 2)
    let column = max(name + 2, line.columns - TextLayout.width(text))
    canvas.write(text, column: column, in: line, style: CellStyle(isReversed: true))
  }

  /// As much as fits: the reason is dropped first, then the counts.
  private static func text(_ model: ScreenModel, columns: Int) -> String {
    let waiting = model.pending > 0 ? [ScreenTexts.toSend(model.pending)] : []
    let refused = model.parked > 0 ? [ScreenTexts.refused(model.parked)] : []
    let candidates = connection(model.connection).map { ([$0] + waiting + refused).joined(separator: " · ") }
    return candidates.first { TextLayout.width($0) <= columns } ?? candidates.last ?? ""
  }

  /// In words, the longest first.
  private static func connection(_ connection: ScreenModel.Connection) -> [String] {
    switch connection {
    case .unknown: [""]
    case .connected: [ScreenTexts.connected]
    case .quiet(let since): [ScreenTexts.lastContact(since)]
    case .notSignedIn: [ScreenTexts.notSignedInTitle]
    case .expired: [ScreenTexts.expiredTitle]
    case .notSetUp: [ScreenTexts.noServerTitle]
    case .lost(let since, let reason): lost(since, reason)
    }
  }

  /// In the fewest words.
  static func shortest(_ connection: ScreenModel.Connection) -> String { Self.connection(connection).last ?? "" }

  private static func lost(_ since: String?, _ reason: String?) -> [String] {
    let short = since.map(ScreenTexts.noConnectionSince) ?? ScreenTexts.noConnection
    return (reason.map { ["\(short): \($0)"] } ?? []) + [short, ScreenTexts.noConnection, ScreenTexts.offline]
  }
}

/// The status in one line, with a duration at its end.
enum StatusLineView {
  static func draw(_ line: StatusLine, in area: Rectangle, on canvas: inout Canvas) {
    let area = area.inset(columns: 1)
    let room = area.columns - (line.trailing.isEmpty ? 0 : TextLayout.width(line.trailing) + 2)
    canvas.write(line.text, in: area, limit: room, style: line.style)
    canvas.writeRight(line.trailing, in: area, style: line.style)
  }
}

/// The notice, wrapped into as many lines as there is room for.
enum NoticeView {
  static func draw(_ notice: StatusLine, limit: Int, in rest: inout Rectangle, on canvas: inout Canvas) {
    let lines = lines(notice, columns: rest.columns, limit: limit)
    let area = rest.takeRows(lines.count).inset(columns: 1)
    for (row, line) in lines.enumerated() { canvas.write(line, row: row, in: area, style: notice.style) }
  }

  static func rows(_ notice: StatusLine, columns: Int, limit: Int) -> Int {
    lines(notice, columns: columns, limit: limit).count
  }

  private static func lines(_ notice: StatusLine, columns: Int, limit: Int) -> [String] {
    TextLayout.wrapped(notice.text, columns: columns - 2, lines: limit)
  }
}

/// The bottom line: the keys that do something now.
enum KeyHintView {
  static func draw(_ hints: [KeyHint], in area: Rectangle, on canvas: inout Canvas) {
    let line = area.inset(columns: 1)
    var column = 0
    for hint in fitting(hints, columns: line.columns) {
      guard column + width(hint) <= line.columns else { break }
      column = canvas.write(hint.key, column: column, in: line, style: .strong)
      column = canvas.write(hint.meaning, column: column + 1, in: line, style: .faint) + 3
    }
  }

  /// The hints that fit: the least important ones are dropped.
  private static func fitting(_ hints: [KeyHint], columns: Int) -> [KeyHint] {
    var hints = hints
    while hints.reduce(-3, { $0 + width($1) + 3 }) > columns,
      let index = hints.indices.max(by: { hints[$0].rank < hints[$1].rank }), hints[index].rank > 0
    {
      hints.remove(at: index)
    }
    return hints
  }

  private static func width(_ hint: KeyHint) -> Int { TextLayout.width(hint.key) + 1 + TextLayout.width(hint.meaning) }
}
