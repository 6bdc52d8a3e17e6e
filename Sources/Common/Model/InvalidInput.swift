/// A value that a person or a peer gave and that cannot be accepted.
public struct InvalidInput: Error, Hashable, Sendable {
  /// Which rule it breaks; stable, to match on. On the wire it is the `code` of a rejected item.
  public enum Code: String, Hashable, Sendable {
    /// A telephone number that cannot exist, or a region that does not.
    case phoneNumber = "invalid_phone_number"
    /// Degrees out of their range.
    case location = "invalid_location"
    /// A message that is too long, or no text.
    case message = "invalid_message"
    /// A name that is empty, too long, or not on one line.
    case name = "invalid_name"
    /// A channel of no known form, or too many of them.
    case channel = "invalid_channel"
    /// Any other part of what was given.
    case body = "invalid_body"
    /// A server's address that is none, or not a safe one.
    case endpoint = "invalid_endpoint"
  }

  /// The rule.
  public let code: Code
  /// One line for a person: the fault, and the form that is accepted. Never the value itself: it may be personal.
  public let message: String

  /// A fault of this kind, told by `message`.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
