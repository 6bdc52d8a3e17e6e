public import FoundationEssentials

/// How far the device and the server agree, as far as the device knows.
public struct ConnectionStatus: Hashable, Sendable {
  /// Whether somebody is signed in and the session has not expired. Otherwise what is saved waits for a sign-in, except alerts of an
  /// expired session, which are sent.
  public var isSignedIn: Bool
  /// Whether somebody is signed in and the session has expired: until the person signs in again only alerts are sent, and nothing of
  /// the responders is received.
  public var isSessionExpired: Bool
  /// The number of items that are saved here and not accepted by the server yet.
  public var pendingCount: Int
  /// The number of items that the server refused and that await a person's decision.
  public var parkedCount: Int
  /// When the last exchange succeeded, by the device's clock.
  public var lastSuccessAt: Date?
  /// When the next attempt is, by the device's clock; nil if none is scheduled.
  public var nextAttemptAt: Date?
  /// Why the last exchange failed: one line for a person; nil if it succeeded.
  public var lastError: String?

  /// A status; without arguments that of a device that was never signed in.
  public init(
    isSignedIn: Bool = false, isSessionExpired: Bool = false, pendingCount: Int = 0, parkedCount: Int = 0,
    lastSuccessAt: Date? = nil, nextAttemptAt: Date? = nil, lastError: String? = nil
  ) {
    self.isSignedIn = isSignedIn
    self.isSessionExpired = isSessionExpired
    self.pendingCount = pendingCount
    self.parkedCount = parkedCount
    self.lastSuccessAt = lastSuccessAt
    self.nextAttemptAt = nextAttemptAt
    self.lastError = lastError
  }
}
