/// A typed number in the form that libphonenumber accepts.
enum DialedText {
  /// No number is typed with more characters.
  private static let maximumBytes = 100

  /// `text` with the digits of every script as 0 to 9. Nil if it contains anything except digits, a leading plus and separators, or is
  /// too long.
  ///
  /// libphonenumber itself would read the letters of 1-800-FLOWERS as digits, and extract a number from a sentence.
  static func normalized(_ text: String) -> String? {
    guard text.utf8.count <= maximumBytes else { return nil }
    var result = ""
    for scalar in text.unicodeScalars {
      if let digit = decimalDigit(scalar) {
        result.append(digit)
      } else if scalar == "+" || scalar == "\u{FF0B}" {
        guard !result.contains(where: { $0 == "+" || $0.isNumber }) else { return nil }
        result.append("+")
      } else if separators.contains(scalar) {
        result.unicodeScalars.append(scalar)
      } else if !marks.contains(scalar) {
        return nil
      }
    }
    return result
  }

  /// The decimal digit, 0 to 9, that `scalar` is in any script; nil for everything else.
  static func decimalDigit(_ scalar: Unicode.Scalar) -> Character? {
    guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
    return Character(Unicode.Scalar(UInt8(ascii: "0") + UInt8(value)))
  }

  /// Spaces, hyphens, dots, slashes and brackets.
  private static let separators: Set<Unicode.Scalar> = [
    " ", "-", ".", "/", "(", ")", "\u{A0}", "\u{202F}", "\u{2009}", "\u{2010}", "\u{2011}", "\u{2012}", "\u{2013}",
  ]

  /// The invisible marks of direction that come with a copied number.
  private static let marks: Set<Unicode.Scalar> = [
    "\u{200E}", "\u{200F}", "\u{202A}", "\u{202C}", "\u{2066}", "\u{2069}",
  ]
}
