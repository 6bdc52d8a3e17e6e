package import LocalStore

/// What a person's call into the store was about, where its process died before it came back.
package enum PersonCall: Hashable, Sendable {
  case raising, ending, puttingContact, removingContact, retrying
  case discarding(String)
  case signingIn
  case signingOut(SignOutAgreement)
  /// Any of them.
  case unknown
}
