public import FoundationEssentials

/// Something that is saved here and that the server has not taken: a change, or the wish that responders be told.
public struct QueuedItem: Hashable, Sendable, Identifiable {
  /// Names it where it is to be retried or discarded.
  public let id: String
  /// What it is: `alert.activate`, `alert.deactivate`, `contact.put`, `contact.remove`, `profile.put`,
  /// `notification.activated` or `notification.deactivated`.
  public let kind: String
  /// When it was queued, by the device's clock.
  public let createdAt: Date
  /// The number of attempts so far.
  public let attempts: Int
  /// When the next attempt is due, by the device's clock; nil where it is due now, or parked.
  public let nextAttemptAt: Date?
  /// Why the last attempt failed: one line for a person.
  public let lastError: String?
  /// The server refused it for good; nil otherwise.
  public let refusal: Refusal?

  /// The server's no. It holds back what stands behind the item of the same alert or contact, until a person retries or discards
  /// the item.
  public struct Refusal: Hashable, Sendable {
    /// When it came, by the device's clock.
    public let at: Date
    /// Stable, to match on.
    public let code: String
    /// One line for a person.
    public let message: String

    /// For previews and tests.
    public init(at: Date, code: String, message: String) {
      self.at = at
      self.code = code
      self.message = message
    }
  }

  /// For previews and tests: one that was not tried yet, where nothing else is given.
  public init(
    id: String, kind: String, createdAt: Date, attempts: Int = 0, nextAttemptAt: Date? = nil,
    lastError: String? = nil, refusal: Refusal? = nil
  ) {
    self.id = id
    self.kind = kind
    self.createdAt = createdAt
    self.attempts = attempts
    self.nextAttemptAt = nextAttemptAt
    self.lastError = lastError
    self.refusal = refusal
  }
}
