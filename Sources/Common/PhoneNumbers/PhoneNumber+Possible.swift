import CPhoneNumber
package import Model

extension PhoneNumber {
  /// Whether `text`, as dialed in `region`, has a possible length for a number with area code.
  ///
  /// Deliberately looser than `parse`: numbering plans change faster than installed versions of libphonenumber, and a disabled
  /// button would lock out a person in danger. Without libphonenumber, 7 to 15 digits are possible.
  package static func isPossible(_ text: String, region: Region) -> Bool {
    guard text.utf8.count <= maximumBytes, !text.utf8.contains(0) else { return false }
    switch Int(lifesignal_phone_is_possible(text, region.code)) {
    case Int(LIFESIGNAL_PHONE_OK): return true
    case Int(LIFESIGNAL_PHONE_UNAVAILABLE): return isPossibleByShape(text)
    default: return false
    }
  }

  /// Whether the text is 7 to 15 digits with an optional plus and common separators.
  static func isPossibleByShape(_ text: String) -> Bool {
    let between = Set(" -().\u{A0}")
    let written = text.filter { !between.contains($0) }
    let digits = written.first == "+" ? written.dropFirst() : written[...]
    return (7...15).contains(digits.utf8.count)
      && digits.utf8.allSatisfy(\.isASCIIDigit)
  }
}
