import CPhoneNumber
package import Model

extension PhoneNumber {
  /// libphonenumber's code for an unknown region.
  static let unknownRegion = "ZZ"

  /// All regions with telephone numbers, sorted by code; only the United States if libphonenumber cannot be loaded.
  package static let regions: [Region] = {
    guard let codes = lifesignal_phone_regions() else { return [.unitedStates] }
    let letters = Array(String(cString: codes))
    return stride(from: 0, to: letters.count - 1, by: 2).compactMap { Region(code: String(letters[$0...$0 + 1])) }
  }()

  /// The calling code of a region, such as 1 for the United States; nil for an unknown region, or if libphonenumber cannot be
  /// loaded.
  package static func callingCode(of region: Region) -> Int? {
    let code = lifesignal_phone_calling_code(region.code)
    return code > 0 ? Int(code) : nil
  }

  /// Returns `name`. Throws `invalid` unless it is two capital letters.
  static func validated(region name: String) throws(PhoneNumberError) -> String {
    guard name.utf8.count == 2, name.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else {
      throw .invalid(InvalidInput(.phoneNumber, "a region is two capital letters, as in US"))
    }
    return name
  }
}
