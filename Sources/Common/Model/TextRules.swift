// What the domain's rules ask of a text. Most texts are short and plain, so bytes are looked at before characters.

extension String {
  /// Without white space at either end.
  func trimmingWhitespace() -> String {
    var slice = self[...]
    while let first = slice.first, first.isWhitespace { slice.removeFirst() }
    while let last = slice.last, last.isWhitespace { slice.removeLast() }
    return String(slice)
  }

  /// At most so many characters as a person counts them, and four bytes for each.
  func hasAtMost(characters maximum: Int) -> Bool {
    utf8.count <= maximum || utf8.count <= 4 * maximum && count <= maximum
  }

  /// Without the control characters of ASCII and Latin-1, line ends among them.
  var hasNoControlCharacters: Bool {
    unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }
}
