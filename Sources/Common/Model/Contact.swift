/// A person in the user's contacts: a responder to the user's alerts, a dependent whose alerts the user responds to, or both.
public struct Contact: Hashable, Sendable, Identifiable {
  /// The same on every device of the account.
  public let id: ContactID
  /// Name, number, roles and channels.
  public var details: ContactDetails

  /// Creates a contact.
  public init(id: ContactID, details: ContactDetails) {
    self.id = id
    self.details = details
  }
}

extension Sequence<Contact> {
  /// The responders of the lowest tier, who are told of a real alert at once.
  package var toldAtOnce: [Contact] {
    let responders = filter(\.details.isResponder)
    let lowest = responders.map(\.details.tier).min()
    return responders.filter { $0.details.tier == lowest }
  }
}

/// A contact's details, always replaced as a whole.
public struct ContactDetails: Hashable, Sendable {
  /// 1…100 characters.
  public let name: String
  /// E.164.
  public let phone: String
  /// Whether they are told of the user's alerts.
  public let isResponder: Bool
  /// Whether the user is told of theirs.
  public let isDependent: Bool
  /// Their channels, at most ten; all are tried in parallel.
  public let channels: [Channel]
  /// When they are told, as a responder: those of tier 1 at once, those of the next tier if nobody comes.
  public let tier: Int

  /// The longest name, as a person counts characters.
  public static let maximumNameCharacters = 100
  /// The maximum number of channels.
  public static let maximumChannels = 10
  /// The tiers that a contact may have.
  public static let tiers = 1...9

  /// Throws `InvalidInput` if the name is empty or too long, there are too many channels, there is no such tier, or `phone` does
  /// not have the shape of E.164. Callers check with libphonenumber first whether the number is valid.
  public init(
    name: String, phone: String, isResponder: Bool, isDependent: Bool, channels: [Channel], tier: Int = 1
  ) throws(InvalidInput) {
    let name = try Self.validatedName(name)
    try Self.requireE164Shape(phone)
    guard channels.count <= Self.maximumChannels else {
      throw InvalidInput(.channel, "a contact has at most \(Self.maximumChannels) channels")
    }
    guard Self.tiers.contains(tier) else {
      throw InvalidInput(.body, "a tier is a number from \(Self.tiers.lowerBound) to \(Self.tiers.upperBound)")
    }
    self.name = name
    self.phone = phone
    self.isResponder = isResponder
    self.isDependent = isDependent
    self.channels = channels
    self.tier = tier
  }

  /// Throws `InvalidInput` unless `phone` is a plus sign and 7 to 15 digits (ITU-T E.164, which has no least length).
  package static func requireE164Shape(_ phone: String) throws(InvalidInput) {
    guard phone.utf8.first == UInt8(ascii: "+"), (7...15).contains(phone.utf8.count - 1),
      phone.utf8.dropFirst().allSatisfy(\.isASCIIDigit)
    else {
      throw InvalidInput(.phoneNumber, "a phone number must be in the international form, as in +12025550123")
    }
  }

  /// A contact's details from a server, perhaps a newer one: this version's limits on the name and the channels do not apply.
  /// Throws only if the contact could not be shown.
  package init(
    foreignName name: String, phone: String, isResponder: Bool, isDependent: Bool, channels: [Channel], tier: Int = 1
  ) throws(InvalidInput) {
    let name = try Self.showableName(name)
    guard !phone.isEmpty, phone.utf8.count <= Self.maximumForeignBytes, phone.hasNoControlCharacters else {
      throw InvalidInput(.phoneNumber, "this is not the number of a contact")
    }
    self.name = name
    self.phone = phone
    self.isResponder = isResponder
    self.isDependent = isDependent
    self.channels = channels
    self.tier = min(max(tier, Self.tiers.lowerBound), Self.tiers.upperBound)
  }

  private static let maximumForeignBytes = 10_000

  /// `name` without white space around it. Throws if it is empty or too long, or has control characters.
  static func validatedName(_ name: String) throws(InvalidInput) -> String {
    let trimmed = name.trimmingWhitespace()
    guard !trimmed.isEmpty, trimmed.hasAtMost(characters: maximumNameCharacters), trimmed.hasNoControlCharacters else {
      throw InvalidInput(.name, "a name must have 1 to \(maximumNameCharacters) characters, on one line")
    }
    return trimmed
  }

  /// Throws if nothing of the name shows. For names that are given now: one that was stored before this rule is read all the same.
  package static func requireVisible(_ name: String) throws(InvalidInput) {
    guard name.hasVisibleCharacter else { throw InvalidInput(.name, "a name needs a character that can be seen") }
  }

  /// `name` without white space around it, from a server, perhaps a newer one. Throws only if it could not be shown.
  static func showableName(_ name: String) throws(InvalidInput) -> String {
    let trimmed = name.trimmingWhitespace()
    guard !trimmed.isEmpty, trimmed.utf8.count <= maximumForeignBytes, trimmed.hasNoControlCharacters else {
      throw InvalidInput(.name, "this is not a name")
    }
    return trimmed
  }
}
