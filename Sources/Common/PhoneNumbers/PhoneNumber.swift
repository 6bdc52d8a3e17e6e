import CPhoneNumber
package import Model

/// A telephone number that can exist, in its one form for the whole world.
///
/// The rules are libphonenumber's, loaded when first needed (about 10 ms). All functions may be called from any thread.
///
/// ```swift
/// let number = try PhoneNumber.parse("(202) 555-0123", region: "US")
/// number.e164  // +12025550123
/// ```
package struct PhoneNumber: Hashable, Sendable {
  /// E.164: `+` and 7 to 15 digits.
  package let e164: String
  /// The region that the number belongs to, ISO 3166-1 alpha-2; `001` for numbers of no country.
  package let region: String

  /// The bytes that a person may type for one number.
  static let maximumBytes = 100

  /// Reads `text` as a person in `region` would dial it. Without a region it must begin with `+` and the calling code.
  ///
  /// Throws `invalid` where it is no number that can exist, has an extension, or the region is not a known one.
  package static func parse(_ text: String, region: String?) throws(PhoneNumberError) -> PhoneNumber {
    let region = try region.map { name throws(PhoneNumberError) in try validated(region: name) } ?? unknownRegion
    guard text.utf8.count <= maximumBytes, !text.utf8.contains(0) else { throw Self.invalid }
    var e164 = PhoneNumberBuffer()
    var home = PhoneNumberBuffer()
    try PhoneNumberBuffer.check(lifesignal_phone_parse(text, region, &e164.bytes, &home.bytes))
    return PhoneNumber(e164: e164.text, region: home.text)
  }

  /// Why numbers cannot be checked in this process: the loader's reason; nil where they can. Loads libphonenumber (about 10 ms).
  package static func unavailability() -> String? {
    lifesignal_phone_load_error().map { String(cString: $0) }
  }

  /// The number with spaces, as in `+1 202-555-0123`.
  package func formatted() throws(PhoneNumberError) -> String {
    var formatted = PhoneNumberBuffer()
    try PhoneNumberBuffer.check(lifesignal_phone_format_international(e164, &formatted.bytes))
    return formatted.text
  }

  /// What has been typed so far, as a person in `region` would write it. Anything but digits and a leading `+` is dropped.
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
      "this is not a phone number: give it as it is dialled in the region, or in full as in +12025550123")
  )
}
