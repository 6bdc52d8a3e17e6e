package import Model

/// A mutation or notification request that the server has not taken.
package struct QueueItem: Hashable, Sendable {
  /// Its idempotency key, which names it for `retry` and `discard`.
  package var id: String
  /// `alert.activate` …, `notification.activated`, `notification.deactivated`.
  package var kind: String
  package var entityID: EntityID
  package var lane: Lane
  /// By the device's clock.
  package var createdAt: Timestamp
  package var attempts: Int
  /// By the device's clock; nil where it is due, or parked.
  package var nextAttemptAt: Timestamp?
  package var lastError: String?
  package var parked: Parked?
  /// The JSON that is sent as its body; `{}` for a notification request.
  package var body: String

  /// The server refused it for good: it holds back what stands behind it of the same entity until a person decides.
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
  /// May push alerts, and nothing else, when the session has expired.
  package var alertKey: String
  /// The server refused the refresh token: the person has to sign in again.
  package var isExpired: Bool

  package init(
    accountID: AccountID, phone: String, accessToken: String, refreshToken: String, accessExpiresAt: Timestamp,
    alertKey: String, isExpired: Bool = false
  ) {
    self.accountID = accountID
    self.phone = phone
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.accessExpiresAt = accessExpiresAt
    self.alertKey = alertKey
    self.isExpired = isExpired
  }
}
