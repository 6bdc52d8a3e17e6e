/// The limits of sign-in. (A stand-in until the accounts part is here.)
package struct AuthenticationLimits: Sendable {
  package init() {}
}
