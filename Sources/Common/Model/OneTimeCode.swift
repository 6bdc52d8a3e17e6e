/// The code that a person receives to sign in.
package enum OneTimeCode {
  package static let digitCount = 6

  /// Whether `text` is six of the digits 0 to 9. Other digits of Unicode do not count.
  package static func isWellFormed(_ text: String) -> Bool {
    text.utf8.count == digitCount && text.utf8.allSatisfy(\.isASCIIDigit)
  }
}
