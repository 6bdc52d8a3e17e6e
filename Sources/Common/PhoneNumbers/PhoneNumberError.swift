package import Model

/// Why a telephone number could not be looked at.
package enum PhoneNumberError: Error, Hashable, Sendable {
  /// It, or the region, is not one: what a person gave must be mended.
  case invalid(InvalidInput)
  /// The library for numbers cannot be loaded here, with the loader's reason: what is installed must be mended.
  case unavailable(String)

  /// One line for a person; never the number.
  package var message: String {
    switch self {
    case .invalid(let invalid): invalid.message
    case .unavailable(let reason): "phone numbers cannot be checked here: \(reason)"
    }
  }
}
