/// Somebody whom the person named: a responder to their alerts, a dependent whose alerts they respond to, or both.
public struct Contact: Hashable, Sendable, Identifiable {
  /// The same on every device of the account.
  public let id: ContactID
  /// What is known of them.
  public var details: ContactDetails

  /// A contact of which this is known.
  public init(id: ContactID, details: ContactDetails) {
    self.id = id
    self.details = details
  }
}

/// What is known of a contact; replaced as a whole.
public struct ContactDetails: Hashable, Sendable {
  /// 1…100 characters.
  public let name: String
  /// E.164.
  public let phone: String
  /// They are told of the person's alerts.
  public let isResponder: Bool
  /// The person is told of theirs.
  public let isDependent: Bool
  /// The ways to reach them, at most ten; tried side by side.
  public let channels: [Channel]

  /// The longest name, as a person counts characters.
  public static let maximumNameCharacters = 100
  /// The most ways to reach one contact.
  public static let maximumChannels = 10

  /// Throws `InvalidInput` where the name is empty or too long, there are too many channels, or `phone` is not in the
  /// shape of E.164. Whether the number exists is for libphonenumber to say, before.
  public init(
    name: String, phone: String, isResponder: Bool, isDependent: Bool, channels: [Channel]
  ) throws(InvalidInput) {
    let trimmed = name.trimmingWhitespace()
    guard !trimmed.isEmpty, trimmed.hasAtMost(characters: Self.maximumNameCharacters), trimmed.hasNoControlCharacters
    else {
      throw InvalidInput(.name, "a name must have 1 to \(Self.maximumNameCharacters) characters, on one line")
    }
    guard phone.utf8.first == UInt8(ascii: "+"), (7...15).contains(phone.utf8.count - 1),
      phone.utf8.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else {
      throw InvalidInput(.phoneNumber, "a phone number must be in the international form, as in +12025550123")
    }
    guard channels.count <= Self.maximumChannels else {
      throw InvalidInput(.channel, "a contact has at most \(Self.maximumChannels) channels")
    }
    self.name = trimmed
    self.phone = phone
    self.isResponder = isResponder
    self.isDependent = isDependent
    self.channels = channels
  }

  /// What a server, perhaps a newer one, says of a contact: names may be longer and channels more than this version lets a
  /// person enter. Throws only where the contact could not be shown.
  package init(
    foreignName name: String, phone: String, isResponder: Bool, isDependent: Bool, channels: [Channel]
  ) throws(InvalidInput) {
    let trimmed = name.trimmingWhitespace()
    guard !trimmed.isEmpty, trimmed.utf8.count <= Self.maximumForeignBytes, trimmed.hasNoControlCharacters else {
      throw InvalidInput(.name, "this is not the name of a contact")
    }
    guard !phone.isEmpty, phone.utf8.count <= Self.maximumForeignBytes, phone.hasNoControlCharacters else {
      throw InvalidInput(.phoneNumber, "this is not the number of a contact")
    }
    self.name = trimmed
    self.phone = phone
    self.isResponder = isResponder
    self.isDependent = isDependent
    self.channels = channels
  }

  private static let maximumForeignBytes = 10_000
}
