import Model
import Secrets

/// Values of a mail's header fields. All are printable ASCII: a line end in a value starts no other field.
enum MailHeader {
  /// As it is if it is printable ASCII; else in encoded words (RFC 2047), a line each.
  static func text(_ text: String) -> String {
    text.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !text.contains("=?") ? text : encodedWords(text)
  }

  /// A name in front of an address, where punctuation has a meaning.
  static func phrase(_ name: String) -> String {
    name.utf8.allSatisfy(isOfPhrase) ? name : encodedWords(name)
  }

  /// As in `Sat, 21 Nov 2026 12:00:00 +0000`.
  static func date(_ time: Timestamp) -> String {
    let parts = time.description.split { "-T.".contains($0) }
    let (days, rest) = time.milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    // 1970-01-01 was a Thursday.
    let weekday = ((days - (rest < 0 ? 1 : 0)) % 7 + 7 + 4) % 7
    let month = Int(parts[1]).map { months[$0 - 1] } ?? ""
    return "\(weekdays[Int(weekday)]), \(parts[2]) \(month) \(parts[0]) \(parts[3]) +0000"
  }

  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Each word is at most 64 characters long, and has whole characters of Unicode.
  private static func encodedWords(_ text: String) -> String {
    let mostBytes = 39
    var words: [String] = []
    var bytes: [UInt8] = []
    for scalar in text.unicodeScalars {
      let next = Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      if bytes.count + next.count > mostBytes {
        words.append(Base64.encode(bytes))
        bytes = []
      }
      bytes += next
    }
    words.append(Base64.encode(bytes))
    return words.map { "=?UTF-8?B?\($0)?=" }.joined(separator: "\r\n ")
  }

  private static func isOfPhrase(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// Text in lines of at most 76 printable ASCII characters (RFC 2045 §6.7).
enum QuotedPrintable {
  private static let maximumLength = 76

  /// Lines of `text` end with any line end, those of the result with CR LF.
  static func encoded(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line($0.utf8) }
      .joined(separator: "\r\n")
  }

  private static func line(_ bytes: Substring.UTF8View) -> String {
    var line = ""
    var length = 0
    for index in bytes.indices {
      let isLast = bytes.index(after: index) == bytes.endIndex
      let piece = encoded(bytes[index], isLast: isLast)
      // Room for the mark of a soft line break.
      if length + piece.utf8.count > maximumLength - 1 {
        line += "=\r\n"
        length = 0
      }
      line += piece
      length += piece.utf8.count
    }
    return line
  }

  private static func encoded(_ byte: UInt8, isLast: Bool) -> String {
    // A space at the end of a line may get lost on the way.
    let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=") || byte == UInt8(ascii: " ") && !isLast
    return isPlain ? String(Unicode.Scalar(byte)) : "=\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
  }

  private static let digits = Array("0123456789ABCDEF")
}
