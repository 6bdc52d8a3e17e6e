package import Model

/// What an operator does with one account, beside what its devices do.
///
/// All functions throw `StorageError`.
package protocol OperatorRecords {
  /// Nil if the telephone has none.
  func account(phone: String) throws(StorageError) -> AccountRecord?
  /// Those whose alert key is valid, newest first.
  func sessions(of account: AccountID, limit: Int) throws(StorageError) -> [SessionSummary]
  /// Nil if people may sign in with the telephone.
  func block(of phone: String) throws(StorageError) -> PhoneBlock?
  /// An earlier block stands, and one by the operator outlasts a removal.
  func addBlock(_ block: PhoneBlock, of phone: String) throws(StorageError)
  func liftBlock(of phone: String) throws(StorageError)
  /// Up to `limit` messages that are tried again, by when they are due.
  func retriedMessages(limit: Int) throws(StorageError) -> [FailingMessage]
  /// Up to `limit` messages that failed for good about alerts that are active, in no order, but for those whose contact or channel was
  /// taken away.
  func failedMessagesOfActiveAlerts(limit: Int) throws(StorageError) -> [FailingMessage]
  /// The account's rows, each as a JSON object by the columns' names, without keys and hashes.
  func rows(of account: AccountID, in table: AccountTable) throws(StorageError) -> [String]
  /// Removes at most `limit` of them. Returns how many.
  func removeRows(of account: AccountID, in table: AccountTable, limit: Int) throws(StorageError) -> Int
}

/// Nobody may sign in with a telephone.
package struct PhoneBlock: Sendable, Hashable {
  package var since: Timestamp
  /// Only while its account is being removed.
  package var isForRemoval: Bool

  package init(since: Timestamp, isForRemoval: Bool = false) {
    self.since = since
    self.isForRemoval = isForRemoval
  }
}

/// The tables with an account's data, in an order in which they can be emptied. Raw values are the tables' names.
package enum AccountTable: String, Sendable, CaseIterable {
  case tokens, sessions
  case alertBuckets = "alert_buckets"
  case deviceContacts = "device_contacts"
  case cursors, mutations, changes, deliveries, responses
  case alertUpdates = "alert_updates"
  case inboxDue = "inbox_due"
  case inboxPosts = "inbox_posts"
  case pageLinks = "page_links"
  case answerCodes = "answer_codes"
  case inbox, alerts, contacts
  case accountLogs = "account_logs"
  case accounts

  /// The columns that, with the account, tell rows apart.
  package var key: String {
    switch self {
    case .tokens: "session_id, generation"
    case .alertBuckets: "session_id, is_of_alert_key"
    case .deviceContacts: "device_id"
    case .cursors: "device_id, sequence"
    case .changes: "sequence"
    case .responses: "alert_id, contact_id"
    case .alertUpdates: "alert_id, number"
    case .inboxDue: "alert_id"
    case .inboxPosts: "alert_id, inbox_account_id"
    case .pageLinks: "key"
    case .answerCodes: "key, alert_id, contact_id"
    case .sessions, .mutations, .deliveries, .inbox, .alerts, .contacts: "id"
    case .accountLogs, .accounts: "account_id"
    }
  }
}

/// A message that did not get through.
package struct FailingMessage: Sendable, Hashable {
  package var id: DeliveryID
  package var alert: AccountAlert
  /// Empty where its responder has no channel.
  package var host: String
  /// `queued` or `failed`.
  package var state: DeliveryState
  package var attempts: Int
  package var createdAt: Timestamp
  /// Nil for one that failed for good.
  package var dueAt: Timestamp?
  package var reason: String?

  package init(
    id: DeliveryID, alert: AccountAlert, host: String, state: DeliveryState, attempts: Int, createdAt: Timestamp,
    dueAt: Timestamp?, reason: String?
  ) {
    self.id = id
    self.alert = alert
    self.host = host
    self.state = state
    self.attempts = attempts
    self.createdAt = createdAt
    self.dueAt = dueAt
    self.reason = reason
  }
}

extension OperatorRecords {
  /// Up to `limit` of both, the oldest first.
  package func failingMessages(limit: Int) throws(StorageError) -> [FailingMessage] {
    let all = try retriedMessages(limit: limit) + failedMessagesOfActiveAlerts(limit: limit)
    return Array(all.sorted { ($0.createdAt, $0.id.description) < ($1.createdAt, $1.id.description) }.prefix(limit))
  }
}
