public import Model
import PhoneNumbers

/// Writes numbers as people do.
public enum PhoneFormatter {
  /// What was typed so far, as a person in `region` would write it: `2025550123` as `(202) 555-0123`.
  ///
  /// What cannot be a number, letters in it for example, stays as it was typed, so that the person sees the mistake.
  public static func format(_ phoneNumber: String, for region: Region) -> String {
    guard let dialed = DialedText.normalized(phoneNumber) else { return phoneNumber }
    do {
      return try PhoneNumber.formattedAsTyped(dialed, region: region)
    } catch {
      // Too many digits, or libphonenumber is not there: how it was typed is the best there is.
      return phoneNumber
    }
  }
}
