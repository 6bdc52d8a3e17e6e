import PhoneNumbers

/// What signing in needs besides the store.
package enum SignInSupport {
  /// Why phone numbers cannot be checked in this process, for the operator's log; nil where they can.
  package static func unavailability() -> String? { PhoneNumber.unavailability() }
}
