public import FoundationEssentials

/// A code on its way to a phone.
public struct SentCode: Hashable, Sendable, Identifiable {
  /// The verification's id, as the server named it.
  public let id: String
  /// E.164.
  public let phone: String
  /// When the code stops working, by the server's clock.
  public let expiresAt: Date
  /// When another code can be asked for, by the server's clock.
  public let resendAt: Date
  /// The seconds until the server sends another code, counted from when this value was given: less than for a fresh code where
  /// one that is under way already is given again.
  public package(set) var secondsUntilResend: Int

  /// For previews and tests; a code of which no server knows signs nobody in.
  public init(id: String, phone: String, expiresAt: Date, resendAt: Date, secondsUntilResend: Int = 60) {
    self.id = id
    self.phone = phone
    self.expiresAt = expiresAt
    self.resendAt = resendAt
    self.secondsUntilResend = secondsUntilResend
  }
}
