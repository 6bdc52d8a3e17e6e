import LocalStore
import Model

/// The region in which a number without a country code is dialed.
enum PhoneRegion {
  /// The region for `phone`; the settings are read only if the number needs one.
  static func chosen(for phone: String, _ context: Context) throws(Failure) -> String? {
    let isInternational = phone.first(where: { $0 != " " }) == "+"
    if isInternational, context.invocation.value("region") == nil { return nil }
    return try chosen(context)
  }

  /// `--region`, else the setting; nil if neither is set. Throws for a value that is not two letters.
  static func chosen(_ context: Context) throws(Failure) -> String? {
    if let text = context.invocation.value("region") {
      return try Context.checked { () throws(InvalidInput) in try validated(text) }
    }
    return try context.configuration().region
  }

  /// ISO 3166-1 alpha-2, in upper case.
  static func validated(_ text: String) throws(InvalidInput) -> String {
    let upper = text.uppercased()
    guard upper.utf8.count == 2, upper.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else {
      throw InvalidInput(.phoneNumber, AccountTexts.invalidRegion)
    }
    return upper
  }
}
