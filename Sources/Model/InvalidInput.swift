/// A value that a person or a peer gave and that cannot be accepted.
public struct InvalidInput: Error, Hashable, Sendable {
  /// Which rule it breaks; stable, to match on. On the wire it is the `code` of a rejected item.
  public enum Code: String, Hashable, Sendable {
    case phoneNumber = "invalid_phone_number"
    case location = "invalid_location"
    case message = "invalid_message"
    case name = "invalid_name"
    case channel = "invalid_channel"
    case body = "invalid_body"
    case endpoint = "invalid_endpoint"
  }

  public let code: Code
  /// One line for a person: the fault, and the form that is accepted. Never the value itself: it may be personal.
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
