package import Model

/// What an operator sees of the whole server: alerts that go on, and what does not get through. Names nobody: ids, hosts, numbers and times
/// alone.
package struct OperatorOverview: Sendable, Hashable {
  /// An alert that has not ended.
  package struct ActiveAlert: Sendable, Hashable {
    package var account: AccountID
    package var id: AlertID
    package var receivedAt: Timestamp
    package var isDrill: Bool
    /// Nil where nobody is asked.
    package var phase: Asking.Phase?
    /// Since when its device says nothing; nil while it does.
    package var silentSince: Timestamp?
    package var queuedMessages: Int
    package var sentMessages: Int
    package var failedMessages: Int

    package init(
      account: AccountID, id: AlertID, receivedAt: Timestamp, isDrill: Bool, phase: Asking.Phase?,
      silentSince: Timestamp?,
      queuedMessages: Int, sentMessages: Int, failedMessages: Int
    ) {
      self.account = account
      self.id = id
      self.receivedAt = receivedAt
      self.isDrill = isDrill
      self.phase = phase
      self.silentSince = silentSince
      self.queuedMessages = queuedMessages
      self.sentMessages = sentMessages
      self.failedMessages = failedMessages
    }
  }

  /// A message whose time to be sent is past.
  package struct LateMessage: Sendable, Hashable {
    package var id: DeliveryID
    package var host: String
    package var attempts: Int
    package var createdAt: Timestamp
    package var dueAt: Timestamp
    /// Why the last attempt did not succeed.
    package var reason: String?

    package init(id: DeliveryID, host: String, attempts: Int, createdAt: Timestamp, dueAt: Timestamp, reason: String?) {
      self.id = id
      self.host = host
      self.attempts = attempts
      self.createdAt = createdAt
      self.dueAt = dueAt
      self.reason = reason
    }
  }

  /// A host that has not taken some messages yet.
  package struct FailingHost: Sendable, Hashable {
    package var host: String
    package var messages: Int
    /// Of the message that was tried most often.
    package var attempts: Int
    /// When the oldest of them was queued.
    package var since: Timestamp
    /// Why one of them could not be sent.
    package var reason: String?

    package init(host: String, messages: Int, attempts: Int, since: Timestamp, reason: String?) {
      self.host = host
      self.messages = messages
      self.attempts = attempts
      self.since = since
      self.reason = reason
    }
  }

  /// First those for whom nobody comes; the oldest of each first.
  package var activeAlerts: [ActiveAlert] = []
  /// The one that was due first in front.
  package var lateMessages: [LateMessage] = []
  /// The one with most messages first.
  package var failingHosts: [FailingHost] = []

  package init() {}
}

/// How much of the overview is asked for.
package struct OverviewNeed: Sendable, Hashable {
  /// Rows of each list.
  package var limit: Int
  /// Messages due before are late.
  package var lateBefore: Timestamp

  package init(limit: Int, lateBefore: Timestamp) {
    self.limit = limit
    self.lateBefore = lateBefore
  }
}
