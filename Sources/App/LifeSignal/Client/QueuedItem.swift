import LocalStore

/// Something that is saved here and that the server has not taken: a change, or the wish that responders be told.
public struct QueuedItem: Hashable, Sendable, Identifiable {
  /// Names it for `retry` and `discard`.
  public let id: String
  /// What it is: `alert.activate`, `alert.deactivate`, `contact.put`, `contact.remove`, `notification.activated` or
  /// `notification.deactivated`.
  public let kind: String
  /// When it was queued, by the device's clock, as the other times.
  public let createdAt: Timestamp
  /// How often it was tried.
  public let attempts: Int
  /// When it will be tried again; nil where it is due, or parked.
  public let nextAttemptAt: Timestamp?
  /// Why the last try failed: one line for a person.
  public let lastError: String?
  /// The server refused it for good; nil otherwise.
  public let refusal: Refusal?

  /// The server's no. It holds back what stands behind the item of the same alert or contact, until a person decides:
  /// `LifeSignalClient.retry` or `discard`.
  public struct Refusal: Hashable, Sendable {
    /// When it came, by the device's clock.
    public let at: Timestamp
    /// Stable, to match on.
    public let code: String
    /// One line for a person.
    public let message: String

    /// For previews and tests.
    public init(at: Timestamp, code: String, message: String) {
      self.at = at
      self.code = code
      self.message = message
    }
  }

  /// For previews and tests: one that was not tried yet, where nothing else is given.
  public init(
    id: String, kind: String, createdAt: Timestamp, attempts: Int = 0, nextAttemptAt: Timestamp? = nil,
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

  init(_ item: QueueItem) {
    self.init(
      id: item.id, kind: item.kind, createdAt: item.createdAt, attempts: item.attempts,
      nextAttemptAt: item.nextAttemptAt, lastError: item.lastError,
      refusal: item.parked.map { Refusal(at: $0.at, code: $0.code, message: $0.message) })
  }
}
