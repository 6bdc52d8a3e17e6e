package import LocalStore

/// What a person's call into the store was about when its process died.
package enum PersonCall: Hashable, Sendable {
  /// Unique words; nil for none, and for a drill.
  case raising(saying: String?)
  case ending, puttingContact, removingContact, retrying
  /// News that are no call for help.
  case telling
  case discarding(String)
  case signingIn
  case signingOut(SignOutAgreement)
  /// Any of the above.
  case unknown
}
