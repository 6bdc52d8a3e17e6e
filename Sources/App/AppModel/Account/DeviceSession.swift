public import FoundationEssentials

/// One sign-in of one device.
public struct DeviceSession: Hashable, Sendable, Identifiable {
  /// Names it where it is to be ended.
  public let id: String
  /// The name that the device gave itself.
  public let deviceName: String
  /// When it signed in, by the server's clock.
  public let createdAt: Date
  /// When it was last seen, by the server's clock, up to an hour too early; nil where it never was.
  public let lastSeenAt: Date?
  /// It is this device's.
  public let isCurrent: Bool
  /// Its session has expired; its alert key still raises alerts.
  public let isAlertKeyOnly: Bool

  /// For previews and tests.
  public init(
    id: String, deviceName: String, createdAt: Date, lastSeenAt: Date? = nil, isCurrent: Bool = false,
    isAlertKeyOnly: Bool = false
  ) {
    self.id = id
    self.deviceName = deviceName
    self.createdAt = createdAt
    self.lastSeenAt = lastSeenAt
    self.isCurrent = isCurrent
    self.isAlertKeyOnly = isAlertKeyOnly
  }
}
