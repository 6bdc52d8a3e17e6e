package import Model

/// Why a telephone number could not be parsed.
package enum PhoneNumberError: Error, Hashable, Sendable {
  /// The number or the region is invalid: the person must correct it.
  case invalid(InvalidInput)
  /// libphonenumber cannot be loaded, with the loader's reason: the installation must be fixed.
  case unavailable(String)

  /// One line for a person; never the number.
  package var message: String {
    switch self {
    case .invalid(let invalid): invalid.message
    case .unavailable(let reason): "phone numbers cannot be checked here: \(reason)"
    }
  }
}
