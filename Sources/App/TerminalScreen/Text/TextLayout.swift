/// Text measured in cells of a terminal.
enum TextLayout {
  /// How many cells `text` takes.
  static func width(_ text: String) -> Int { Glyph.glyphs(text).reduce(0) { $0 + $1.width } }

  /// `glyphs` cut to `columns` cells, with an ellipsis where something is missing.
  static func truncated(_ glyphs: [Glyph], columns: Int, isASCII: Bool) -> [Glyph] {
    guard glyphs.reduce(0, { $0 + $1.width }) > columns else { return glyphs }
    var kept: [Glyph] = []
    var used = 0
    for glyph in glyphs {
      guard used + glyph.width < columns else { break }
      kept.append(glyph)
      used += glyph.width
    }
    if columns > 0 { kept.append(Glyph(text: isASCII ? "~" : "…", width: 1)) }
    return kept
  }

  /// `text` in lines of at most `columns` cells, broken between words; a word that is longer is broken inside.
  static func wrapped(_ text: String, columns: Int) -> [String] {
    guard columns > 0 else { return [] }
    var lines: [String] = []
    for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
      var line = ""
      for word in paragraph.split(separator: " ").flatMap({ pieces(String($0), columns: columns) }) {
        if line.isEmpty {
          line = word
        } else if width(line) + 1 + width(word) <= columns {
          line += " " + word
        } else {
          lines.append(line)
          line = word
        }
      }
      lines.append(line)
    }
    return lines
  }

  /// The same in at most `limit` lines: what is left over is behind the last, to be cut where it is drawn.
  static func wrapped(_ text: String, columns: Int, lines limit: Int) -> [String] {
    let lines = wrapped(text, columns: columns)
    guard lines.count > limit, limit > 0 else { return lines }
    return lines.prefix(limit - 1) + [lines[(limit - 1)...].joined(separator: " ")]
  }

  private static func pieces(_ word: String, columns: Int) -> [String] {
    guard width(word) > columns else { return [word] }
    var pieces = [""]
    var used = 0
    for glyph in Glyph.glyphs(word) {
      if used + glyph.width > columns {
        pieces.append("")
        used = 0
      }
      pieces[pieces.count - 1] += glyph.text
      used += glyph.width
    }
    return pieces
  }
}
