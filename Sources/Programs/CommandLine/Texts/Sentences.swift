/// Messages of other parts, which begin in lower case and have no full stop, as parts of a text.
enum Sentences {
  /// With one full stop at the end, unless it ends in another mark.
  static func closed(_ message: String) -> String {
    var text = message[...]
    while let last = text.last, last == "." || last == " " { text.removeLast() }
    return text.hasSuffix("!") || text.hasSuffix("?") ? String(text) : text + "."
  }

  /// As one word of a shell's command line.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "-")...UInt8(ascii: "9")).contains(byte)
        || byte == UInt8(ascii: "_")
    }
    guard !isPlain || word.isEmpty else { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// With a capital in front.
  static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
