/// The result of one check.
package struct Finding: Hashable, Sendable {
  package enum State: String, Sendable {
    case ok, warn, fail
  }

  /// Stable: `store`, `disk`, `permissions`, `libcurl`, `phone_numbers`, `endpoint`, `clock`, `server`, `session`,
  /// `responders`, `readiness`, `queue`, `worker`.
  package let check: String
  package let state: State
  /// One line for a person.
  package let message: String
  /// How to fix it; nil if nothing is wrong.
  package let fix: String?

  package init(_ check: String, _ state: State, _ message: String, fix: String? = nil) {
    self.check = check
    self.state = state
    self.message = message
    self.fix = fix
  }
}
