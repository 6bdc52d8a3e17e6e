/// Messages of other parts, which begin in lower case and have no full stop, as parts of a text.
enum Sentences {
  /// With one full stop at the end, unless it ends in another mark.
  static func closed(_ message: String) -> String {
    var text = message[...]
    while let last = text.last, last == "." || last == " " { text.removeLast() }
    return text.hasSuffix("!") || text.hasSuffix("?") ? String(text) : text + "."
  }

  /// With a capital in front.
  static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
