/// What one or two cells of a terminal show: a character and the marks on it.
struct Glyph: Hashable, Sendable {
  let text: String
  /// 1 or 2.
  let width: Int

  /// More marks than this on one character are left out: a library for terminals takes no more.
  private static let markLimit = 4

  /// `text` as glyphs, whatever it contains: it may come from other people. Control characters become blanks; characters
  /// that show nothing, or turn the direction of text around, are left out. With `isASCII` each character becomes one of
  /// ASCII, the likest there is.
  static func glyphs(_ text: String, isASCII: Bool = false) -> [Glyph] {
    if isASCII { return ASCIIFolding.folded(text).map { Glyph(text: String($0), width: 1) } }
    var glyphs: [Glyph] = []
    var base = "", marks = 0, width = 0
    func finish() {
      if width > 0 { glyphs.append(Glyph(text: base, width: width)) }
    }
    for scalar in text.unicodeScalars {
      guard let shown = shown(scalar) else { continue }
      let scalarWidth = CharacterWidth.of(shown)
      if scalarWidth == 0 {
        // A mark with nothing before it stands on a blank.
        if width == 0 { (base, width) = (" ", 1) }
        guard marks < markLimit else { continue }
        base.unicodeScalars.append(shown)
        marks += 1
      } else {
        finish()
        (base, marks, width) = (String(shown), 0, scalarWidth)
      }
    }
    finish()
    return glyphs
  }

  /// The scalar that stands for `scalar` on a terminal; nil for none.
  private static func shown(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar.value {
    case 0x20...0x7E: scalar
    case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: " "
    // Selectors of variants and tags change widths from terminal to terminal.
    case 0xFE00...0xFE0F, 0xE0000...0xE0FFF: nil
    // The halves of flags: their letters.
    case 0x1F1E6...0x1F1FF: Unicode.Scalar(scalar.value - 0x1F1E6 + 0x41)
    default:
      switch scalar.properties.generalCategory {
      case .format, .surrogate: nil
      case .privateUse, .unassigned: "\u{FFFD}"
      default: scalar
      }
    }
  }
}

/// Text for a terminal that shows ASCII alone.
enum ASCIIFolding {
  /// `text` with each character folded into one of ASCII, so that widths stay: letters lose their accents.
  static func folded(_ text: String) -> [Character] {
    var folded: [Character] = []
    for character in text {
      let first = character.unicodeScalars[character.unicodeScalars.startIndex]
      if let likeness = likenesses[character] {
        folded.append(likeness)
      } else if (0x20...0x7E).contains(first.value) {
        folded.append(Character(first))
      } else if first.value < 0xA0 {
        folded.append(" ")
      } else if let letter = letterWithoutMarks(first) {
        folded.append(letter)
      } else if character.unicodeScalars.contains(where: { $0.properties.generalCategory != .format }) {
        folded.append("?")
      }
    }
    return folded
  }

  /// The ASCII letter in the name of a Latin letter with marks, as in `LATIN SMALL LETTER E WITH ACUTE`; nil for others. Unicode never
  /// changes a name (its Name Stability policy).
  private static func letterWithoutMarks(_ scalar: Unicode.Scalar) -> Character? {
    guard let name = scalar.properties.name, name.hasPrefix("LATIN ") else { return nil }
    let words = name.split(separator: " ")
    guard words.count > 4, words[2] == "LETTER", words[3].count == 1, words[4] == "WITH", let letter = words[3].first
    else { return nil }
    switch words[1] {
    case "CAPITAL": return letter
    case "SMALL": return Character(letter.lowercased())
    default: return nil
    }
  }

  private static let likenesses: [Character: Character] = [
    "…": "~", "·": "-", "–": "-", "—": "-", "“": "\"", "”": "\"", "‘": "'", "’": "'", "×": "x", "→": ">", "←": "<",
    "↑": "^", "↓": "v", "█": "#", "░": ".", "▏": "|", "─": "-", "│": "|", "╭": "+", "╮": "+", "╰": "+", "╯": "+",
    "├": "+", "┤": "+", "┌": "+", "┐": "+", "└": "+", "┘": "+", "●": "*", "○": "o", "✓": "+", "✗": "x", "★": "*",
    "▸": ">", "◂": "<", "▴": "^", "▾": "v", "ß": "s", "æ": "a", "Æ": "A", "Å": "A",
  ]
}
