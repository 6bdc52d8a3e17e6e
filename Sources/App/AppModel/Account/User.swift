public import Model

/// The person who is signed in.
public struct User: Hashable, Sendable, Identifiable {
  /// The account's id.
  public let id: AccountID
  /// E.164.
  public var phoneNumber: String
  /// The session has expired: alerts are still sent, nothing else is, until the person signs in again.
  public var isSessionExpired: Bool
  /// The name that their responders read in every message; nil if they never told it.
  public var name: String?

  /// A person with an account.
  public init(id: AccountID, phoneNumber: String, isSessionExpired: Bool = false, name: String? = nil) {
    self.name = name
    self.id = id
    self.phoneNumber = phoneNumber
    self.isSessionExpired = isSessionExpired
  }
}
