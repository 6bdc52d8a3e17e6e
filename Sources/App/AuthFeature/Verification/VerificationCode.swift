import Model

/// A code of six digits, as a person types or pastes it.
enum VerificationCode {
  static let digitCount = OneTimeCode.digitCount
  /// More than this is kept of nothing that is typed here; it is more than six, so that cutting makes nothing valid.
  private static let maximumScalars = 16

  /// `text` without the spaces and hyphens of a pasted `123 456`, the digits of every script as 0 to 9. Whatever else was
  /// typed stays, so that the person sees it.
  static func normalized(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isSeparator(scalar) {
      guard result.count < maximumScalars else { break }
      result.append(contentsOf: DialedText.decimalDigit(scalar)?.unicodeScalars ?? Character(scalar).unicodeScalars)
    }
    return String(result)
  }

  /// Whether `code` is six of the digits 0 to 9. `isNumber` would accept ½ and Ⅷ too.
  static func isValid(_ code: String) -> Bool { OneTimeCode.isWellFormed(code) }

  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .dashPunctuation
  }
}
