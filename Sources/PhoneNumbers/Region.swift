import CPhoneNumber
import Model

/// Names of regions, ISO 3166-1 alpha-2.
package enum Region {
  /// What libphonenumber calls a region that is not known.
  static let unknown = "ZZ"

  /// `name` itself. Throws `invalid` where it is not two capital letters. Whether there is such a region shows with its
  /// calling code.
  package static func validated(_ name: String) throws(PhoneNumberError) -> String {
    guard name.utf8.count == 2, name.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else {
      throw .invalid(InvalidInput(.phoneNumber, "a region is two capital letters, as in US"))
    }
    return name
  }

  /// The calling code of a region, as in 1 for `US`. Throws `invalid` where there is no such region.
  package static func callingCode(of name: String) throws(PhoneNumberError) -> Int {
    let code = lifesignal_phone_calling_code(try validated(name))
    if code > 0 { return Int(code) }
    try PhoneNumberBuffer.checkLoaded()
    throw .invalid(InvalidInput(.phoneNumber, "there is no region of this name: use one such as US, GB or DE"))
  }
}
