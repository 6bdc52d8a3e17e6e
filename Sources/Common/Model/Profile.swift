/// What a person says of themselves: their responders read it in every message.
public struct Profile: Hashable, Sendable {
  /// 1…100 characters, in any script.
  public let name: String

  /// Throws `InvalidInput` if the name is empty or too long, or has control characters.
  public init(name: String) throws(InvalidInput) {
    self.name = try ContactDetails.validatedName(name)
  }

  /// A profile from a server, perhaps a newer one: this version's limit does not apply. Throws only if it could not be shown.
  package init(foreignName name: String) throws(InvalidInput) {
    self.name = try ContactDetails.showableName(name)
  }
}

extension EntityID {
  /// The profile's, in every account: an account has one. It is the Max UUID (RFC 9562 §5.10).
  package static var profile: EntityID { EntityID(high: .max, low: .max) }
}
