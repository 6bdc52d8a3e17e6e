/// A rejected value from a person or a peer.
public struct InvalidInput: Error, Hashable, Sendable {
  /// The broken rule: a stable code to match on. On the wire it is the `code` of a rejected item.
  public enum Code: String, Hashable, Sendable {
    /// An invalid telephone number or region.
    case phoneNumber = "invalid_phone_number"
    /// Degrees out of range.
    case location = "invalid_location"
    /// A message that is too long or not text.
    case message = "invalid_message"
    /// A name that is empty, too long, or not on one line.
    case name = "invalid_name"
    /// A channel of an unknown form, or too many channels.
    case channel = "invalid_channel"
    /// Any other part of the input.
    case body = "invalid_body"
    /// A server address that is invalid or not secure.
    case endpoint = "invalid_endpoint"
  }

  /// The rule.
  public let code: Code
  /// One line for a person: what is wrong, and the accepted form. Never contains the value, which may be personal.
  public let message: String

  /// A fault of this kind, told by `message`.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
