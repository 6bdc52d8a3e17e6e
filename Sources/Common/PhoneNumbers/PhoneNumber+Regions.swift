import CPhoneNumber
package import Model

extension PhoneNumber {
  /// What libphonenumber calls a region that is not known.
  static let unknownRegion = "ZZ"

  /// All regions that have telephone numbers, by code; the United States alone where libphonenumber cannot be loaded.
  package static let regions: [Region] = {
    guard let codes = lifesignal_phone_regions() else { return [.unitedStates] }
    let letters = Array(String(cString: codes))
    return stride(from: 0, to: letters.count - 1, by: 2).compactMap { Region(code: String(letters[$0...$0 + 1])) }
  }()

  /// The calling code of a region, as in 1 for the United States; nil where there is no such region, or libphonenumber
  /// cannot be loaded.
  package static func callingCode(of region: Region) -> Int? {
    let code = lifesignal_phone_calling_code(region.code)
    return code > 0 ? Int(code) : nil
  }

  /// `name` itself. Throws `invalid` where it is not two capital letters.
  static func validated(region name: String) throws(PhoneNumberError) -> String {
    guard name.utf8.count == 2, name.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else {
      throw .invalid(InvalidInput(.phoneNumber, "a region is two capital letters, as in US"))
    }
    return name
  }
}
