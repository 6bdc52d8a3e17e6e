package import Model

/// A mutation or notification request that the server has not accepted.
package struct QueueItem: Hashable, Sendable {
  /// The idempotency key; `retry` and `discard` take it.
  package var id: String
  /// `alert.activate` …, `notification.activated`, `notification.deactivated`.
  package var kind: String
  package var entityID: EntityID
  package var lane: Lane
  /// By the device's clock.
  package var createdAt: Timestamp
  package var attempts: Int
  /// By the device's clock; nil if the item is due, or parked.
  package var nextAttemptAt: Timestamp?
  package var lastError: String?
  package var parked: Parked?
  /// The JSON of the body, as it is sent; `{}` for a notification request.
  package var body: String

  /// The server rejected the item for good. It holds back everything behind it of the same entity until a person decides.
  package struct Parked: Hashable, Sendable {
    package var at: Timestamp
    package var code: String
    package var message: String
  }
}

/// A person's sign-in on this device.
package struct Session: Hashable, Sendable {
  package var accountID: AccountID
  /// E.164.
  package var phone: String
  package var accessToken: String
  package var refreshToken: String
  /// By the server's clock.
  package var accessExpiresAt: Timestamp
  /// Sends alerts, and nothing else, when the session has expired.
  package var alertKey: String
  /// The server rejected the refresh token: the person has to sign in again.
  package var isExpired: Bool
  /// The server said that the session was ended. Otherwise a refresh that was rejected is tried again: perhaps by another server.
  package var isRevoked: Bool

  package init(
    accountID: AccountID, phone: String, accessToken: String, refreshToken: String, accessExpiresAt: Timestamp,
    alertKey: String, isExpired: Bool = false, isRevoked: Bool = false
  ) {
    self.accountID = accountID
    self.phone = phone
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.accessExpiresAt = accessExpiresAt
    self.alertKey = alertKey
    self.isExpired = isExpired
    self.isRevoked = isRevoked
  }
}
