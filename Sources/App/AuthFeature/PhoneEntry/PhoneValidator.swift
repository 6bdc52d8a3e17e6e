public import Model
import PhoneNumbers

/// Says whether a code can be sent to a number.
public enum PhoneValidator {
  /// Whether `phoneNumber`, as a person in `region` would dial it, has the length of a number there, and nothing in it but
  /// digits and what people write between them. A number that begins with `+` is looked at by its own calling code.
  ///
  /// It asks for the length only: numbers are given out faster than the rules are updated on people's machines, and a
  /// button that stays grey keeps a person out. The server looks at the number whole.
  public static func isValid(_ phoneNumber: String, for region: Region) -> Bool {
    guard let dialed = DialedText.normalized(phoneNumber) else { return false }
    return PhoneNumber.isPossible(dialed, region: region)
  }
}
