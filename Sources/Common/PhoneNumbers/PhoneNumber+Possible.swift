import CPhoneNumber
package import Model

extension PhoneNumber {
  /// Whether `text`, as a person in `region` would dial it, has a length that a number with its area code can have there.
  ///
  /// It is looser than `parse` on purpose: which numbers were given out changes faster than libphonenumber is updated on
  /// people's machines, and a button that stays grey would keep out a person in danger. Where libphonenumber cannot be
  /// loaded, 7 to 15 digits are possible.
  package static func isPossible(_ text: String, region: Region) -> Bool {
    guard text.utf8.count <= maximumBytes, !text.utf8.contains(0) else { return false }
    switch Int(lifesignal_phone_is_possible(text, region.code)) {
    case Int(LIFESIGNAL_PHONE_OK): return true
    case Int(LIFESIGNAL_PHONE_UNAVAILABLE): return isPossibleByShape(text)
    default: return false
    }
  }

  /// 7 to 15 digits, with a plus before them or not, and what people write between them.
  static func isPossibleByShape(_ text: String) -> Bool {
    let between = Set(" -().\u{A0}")
    let written = text.filter { !between.contains($0) }
    let digits = written.first == "+" ? written.dropFirst() : written[...]
    return (7...15).contains(digits.utf8.count)
      && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
