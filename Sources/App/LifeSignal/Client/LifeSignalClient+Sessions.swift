import DeviceCore
import Model
import Wire

extension LifeSignalClient {
  /// Where the account is signed in, newest first, as the server says.
  ///
  /// Throws `notSignedIn`, `notConfigured` and `unreachable`.
  public func sessions() async throws(LifeSignalError) -> [DeviceSession] {
    try await withAccount { account throws(AccountError) in try account.sessions().map(DeviceSession.init) }
  }

  /// Ends the session of another device, one that was lost or stolen: from then on the server takes nothing from it, its alert
  /// key included.
  ///
  /// Throws `notFound`, and `invalid` for this device's own session, for which there is `signOut`.
  public func endSession(_ id: DeviceSession.ID) async throws(LifeSignalError) {
    try await withAccount { account throws(AccountError) in
      guard let id = EntityID(id) else { throw .invalid(InvalidInput(.body, "a session's ID is a UUID")) }
      _ = try account.endSession(id)
    }
  }
}

/// One sign-in of one device.
public struct DeviceSession: Hashable, Sendable, Identifiable {
  /// Names it for `LifeSignalClient.endSession`.
  public let id: String
  /// As the device called itself.
  public let deviceName: String
  /// When it signed in, by the server's clock, as the other time.
  public let createdAt: Timestamp
  /// When it was last heard of, up to an hour too early; nil where it never was.
  public let lastSeenAt: Timestamp?
  /// It is this device's.
  public let isCurrent: Bool
  /// Its session has expired; its alert key still raises alerts.
  public let isAlertKeyOnly: Bool

  /// For previews and tests.
  public init(
    id: String, deviceName: String, createdAt: Timestamp, lastSeenAt: Timestamp? = nil, isCurrent: Bool = false,
    isAlertKeyOnly: Bool = false
  ) {
    self.id = id
    self.deviceName = deviceName
    self.createdAt = createdAt
    self.lastSeenAt = lastSeenAt
    self.isCurrent = isCurrent
    self.isAlertKeyOnly = isAlertKeyOnly
  }

  init(_ entry: SessionEntry) {
    self.init(
      id: entry.id.description, deviceName: entry.deviceName, createdAt: entry.createdAt, lastSeenAt: entry.lastSeenAt,
      isCurrent: entry.isCurrent, isAlertKeyOnly: entry.isAlertKeyOnly)
  }
}
