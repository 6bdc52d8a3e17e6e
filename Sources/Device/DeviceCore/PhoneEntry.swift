package import Model
import PhoneNumbers

/// Numbers as people enter them.
package enum PhoneEntry {
  /// `text` as E.164, as a person in `region` would dial it; without a region it must begin with `+`.
  ///
  /// Where libphonenumber is not to be had, the shape alone is checked, so that a missing library keeps nobody from
  /// signing in: the server looks at the number again.
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

  /// Why numbers can only be checked by their shape here; nil where they can be checked whole.
  package static func unavailability() -> String? { PhoneNumber.unavailability() }

  private static func byShape(_ text: String) throws(InvalidInput) -> String {
    let separators = Set(" -().\u{A0}")
    let number = String(text.filter { !separators.contains($0) })
    guard number.first == "+", (7...15).contains(number.utf8.count - 1),
      number.utf8.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else {
      throw InvalidInput(.phoneNumber, "a phone number must be in the international form, as in +12025550123")
    }
    return number
  }
}
