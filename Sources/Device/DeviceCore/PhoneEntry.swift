package import Model
import PhoneNumbers

/// Phone numbers as people enter them.
package enum PhoneEntry {
  /// Converts `text`, as dialed in `region`, to E.164. Without a region it must begin with `+`.
  ///
  /// Without libphonenumber only the shape is checked, so that a missing library blocks no sign-in: the server validates the
  /// number again.
  package static func normalized(_ text: String, region: String?) throws(InvalidInput) -> String {
    do throws(PhoneNumberError) {
      return try PhoneNumber.parse(text, region: region).e164
    } catch {
      switch error {
      case .invalid(let invalid): throw invalid
      case .unavailable: return try byShape(text)
      }
    }
  }

  /// Why only the shape of numbers can be checked; nil if libphonenumber works.
  package static func unavailability() -> String? { PhoneNumber.unavailability() }

  private static func byShape(_ text: String) throws(InvalidInput) -> String {
    let separators = Set(" -().\u{A0}")
    let number = String(text.filter { !separators.contains($0) })
    try ContactDetails.requireE164Shape(number)
    return number
  }
}
