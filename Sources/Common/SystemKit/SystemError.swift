import Glibc

/// A system call that failed.
package struct SystemError: Error, Hashable, Sendable {
  /// As `errno` numbers it.
  package let number: Int32
  /// What could not be done, as a verb with its object: `read /etc/hosts`. Never holds what somebody entered.
  package let action: String

  package init(_ number: Int32, _ action: String) {
    self.number = number
    self.action = action
  }

  /// The system's text for the error: `No such file or directory`.
  package var reason: String { String(cString: strerror(number)) }
}
