// Text checks for the domain's rules. Most text is short ASCII, so bytes are checked before characters.

extension String {
  /// The text without leading and trailing white space.
  func trimmingWhitespace() -> String {
    // Most texts, without a look at the tables of Unicode.
    if let first = utf8.first, let last = utf8.last, first.isVisibleASCII, last.isVisibleASCII { return self }
    var slice = self[...]
    while let first = slice.first, first.isWhitespace { slice.removeFirst() }
    while let last = slice.last, last.isWhitespace { slice.removeLast() }
    return String(slice)
  }

  /// Whether the text has at most `maximum` characters as a person counts them, and at most four bytes for each.
  func hasAtMost(characters maximum: Int) -> Bool {
    utf8.count <= maximum || utf8.count <= 4 * maximum && count <= maximum
  }

  /// Whether the text has no control characters of ASCII or Latin-1, such as line breaks.
  var hasNoControlCharacters: Bool {
    unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }

  /// Whether something of it shows: not only spaces, and marks that join or direct other characters.
  var hasVisibleCharacter: Bool {
    if utf8.contains(where: \.isVisibleASCII) { return true }
    let blanks: Set<Unicode.GeneralCategory> = [
      .format, .control, .spaceSeparator, .lineSeparator, .paragraphSeparator,
    ]
    return unicodeScalars.contains { scalar in
      let properties = scalar.properties
      // A braille cell without dots is no space to Unicode.
      return !properties.isDefaultIgnorableCodePoint && !blanks.contains(properties.generalCategory)
        && scalar != "\u{2800}"
    }
  }
}

extension UInt8 {
  fileprivate var isVisibleASCII: Bool { (0x21...0x7E).contains(self) }

  /// Whether it is one of the digits 0 to 9 in ASCII.
  package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
