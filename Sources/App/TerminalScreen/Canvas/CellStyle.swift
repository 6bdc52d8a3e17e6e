/// How a cell stands out. What it means is always in words too: not every terminal has colours.
package struct CellStyle: Hashable, Sendable {
  package enum Tone: Hashable, Sendable { case plain, faint, good, warning, bad }

  package var tone = Tone.plain
  package var isBold = false
  package var isReversed = false

  static let plain = Self()
  static let faint = Self(tone: .faint)
  static let strong = Self(isBold: true)
  static let good = Self(tone: .good)
  static let warning = Self(tone: .warning)
  static let bad = Self(tone: .bad, isBold: true)
  static let reversed = Self(isReversed: true)
}

/// How large a screen is.
package struct ScreenSize: Hashable, Sendable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }
}

/// A part of the screen.
struct Rectangle: Hashable, Sendable {
  var row: Int
  var column: Int
  var rows: Int
  var columns: Int

  /// Takes `count` rows off its top.
  mutating func takeRows(_ count: Int) -> Rectangle {
    let taken = min(max(0, count), rows)
    defer {
      row += taken
      rows -= taken
    }
    return Rectangle(row: row, column: column, rows: taken, columns: columns)
  }

  /// Takes `count` rows off its bottom.
  mutating func takeLastRows(_ count: Int) -> Rectangle {
    let taken = min(max(0, count), rows)
    rows -= taken
    return Rectangle(row: row + rows, column: column, rows: taken, columns: columns)
  }

  /// Without `columns` at the left and the right.
  func inset(columns margin: Int, rows rowMargin: Int = 0) -> Rectangle {
    Rectangle(
      row: row + rowMargin, column: column + margin, rows: max(0, rows - 2 * rowMargin),
      columns: max(0, columns - 2 * margin))
  }
}
