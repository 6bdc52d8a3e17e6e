import CPhoneNumber
package import Model

/// A valid telephone number in E.164 form.
///
/// Validated by libphonenumber, which is loaded on first use (about 10 ms). All functions are thread-safe.
///
/// ```swift
/// let number = try PhoneNumber.parse("(202) 555-0123", region: "US")
/// number.e164  // +12025550123
/// ```
package struct PhoneNumber: Hashable, Sendable {
  /// E.164: `+` and 7 to 15 digits.
  package let e164: String
  /// The number's region, ISO 3166-1 alpha-2; `001` for numbers of no country.
  package let region: String

  /// The maximum input length of one number.
  static let maximumBytes = 100

  /// Parses `text` as dialed in `region`. Without a region it must begin with `+` and the calling code.
  ///
  /// Throws `invalid` if the number is not valid or has an extension, or the region is unknown.
  package static func parse(_ text: String, region: String?) throws(PhoneNumberError) -> PhoneNumber {
    let region = try region.map { name throws(PhoneNumberError) in try validated(region: name) } ?? unknownRegion
    guard text.utf8.count <= maximumBytes, !text.utf8.contains(0) else { throw Self.invalid }
    var e164 = PhoneNumberBuffer()
    var home = PhoneNumberBuffer()
    try PhoneNumberBuffer.check(lifesignal_phone_parse(text, region, &e164.bytes, &home.bytes))
    return PhoneNumber(e164: e164.text, region: home.text)
  }

  /// The loader's reason why numbers cannot be checked; nil if they can. Loads libphonenumber (about 10 ms).
  package static func unavailability() -> String? {
    lifesignal_phone_load_error().map { String(cString: $0) }
  }

  /// The number formatted for reading, such as `+1 202-555-0123`.
  package func formatted() throws(PhoneNumberError) -> String {
    var formatted = PhoneNumberBuffer()
    try PhoneNumberBuffer.check(lifesignal_phone_format_international(e164, &formatted.bytes))
    return formatted.text
  }

  /// Formats a partial input as written in `region`. Drops everything except digits and a leading `+`.
  package static func formattedAsTyped(_ text: String, region: Region) throws(PhoneNumberError) -> String {
    let typed = text.unicodeScalars.filter { ("0"..."9").contains($0) || $0 == "+" }
    guard typed.count < PhoneNumberBuffer.capacity / 2 else { throw Self.invalid }
    var formatted = PhoneNumberBuffer()
    try PhoneNumberBuffer.check(
      lifesignal_phone_format_as_you_type(String(String.UnicodeScalarView(typed)), region.code, &formatted.bytes))
    return formatted.text
  }

  static let invalid = PhoneNumberError.invalid(
    InvalidInput(
      .phoneNumber,
      "not a phone number; include the country code, e.g. +1 202 555 0123")
  )
}
