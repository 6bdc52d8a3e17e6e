public import FoundationEssentials

/// How far the device and the server agree, as far as the device knows.
public struct ConnectionStatus: Hashable, Sendable {
  /// Somebody is signed in, and the session has not expired. Otherwise what is saved waits for a sign-in, but for the
  /// alerts of an expired session, which are sent all the same.
  public var isSignedIn: Bool
  /// Somebody is signed in whose session has expired: alerts are still sent, nothing else is, and what the responders do is
  /// not heard of, until the person signs in again.
  public var isSessionExpired: Bool
  /// What is saved here and not taken by the server yet.
  public var pendingCount: Int
  /// What the server refused, until a person decides about it.
  public var parkedCount: Int
  /// When the server was last spoken to, by the device's clock, as the next.
  public var lastSuccessAt: Date?
  /// When it will be tried again; nil where nothing waits for a time.
  public var nextAttemptAt: Date?
  /// Why the last exchange failed: one line for a person; nil where it succeeded.
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
