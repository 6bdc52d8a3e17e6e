package import LocalStore

/// What a person's call into the store was about, where its process died before it came back.
package enum PersonCall: Hashable, Sendable {
  /// Words that nobody else used; nil for none, and for a drill.
  case raising(saying: String?)
  case ending, puttingContact, removingContact, retrying
  case discarding(String)
  case signingIn
  case signingOut(SignOutAgreement)
  /// Any of them.
  case unknown
}
