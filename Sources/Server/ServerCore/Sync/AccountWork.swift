import Model
import Secrets

/// What one transaction does to one account: it collects the entities that change, and at its end writes each once into the
/// log.
///
/// Nobody sees the middle of a transaction, so only the last change of an entity counts.
struct AccountWork {
  let account: AccountID
  let configuration: ServerConfiguration
  let now: Timestamp
  let transaction: any ServerTransaction
  var entropy: Entropy
  /// The counters, moved on by this transaction.
  var position: LogPosition
  /// A delivery was queued, or let go on.
  var hasQueuedDeliveries = false
  private let original: LogPosition
  private var changed: [EntityKey?] = []
  private var places: [EntityKey: Int] = [:]

  init(
    account: AccountID, configuration: ServerConfiguration, now: Timestamp, transaction: any ServerTransaction,
    entropy: Entropy
  ) throws(StorageError) {
    self.account = account
    self.configuration = configuration
    self.now = now
    self.transaction = transaction
    // Of the account's own, so that two accounts in one transaction share no tag.
    self.entropy = entropy.stream(for: "account \(account)")
    position = try transaction.logPosition(of: account)
    original = position
  }

  mutating func note(_ kind: EntityKey.Kind, _ id: EntityID) {
    let key = EntityKey(kind, id)
    if let place = places.updateValue(changed.count, forKey: key) { changed[place] = nil }
    changed.append(key)
  }

  /// Writes the log and the counters. Says whether anything of the account changed.
  mutating func finish() throws(StorageError) -> Bool {
    let hasChanges = !places.isEmpty
    for case let key? in changed {
      position.newestSequence += 1
      let change = LoggedChange(sequence: position.newestSequence, tag: entropy.word(), entity: key)
      try transaction.insertChange(change, of: account)
    }
    if position != original { try transaction.setLogPosition(position, of: account) }
    changed = []
    places = [:]
    return hasChanges
  }

  // Deliveries, with their receipts noted as changes.

  /// False where there is one for this target and notice.
  @discardableResult
  mutating func insert(_ delivery: StoredDelivery) throws(StorageError) -> Bool {
    guard try transaction.insertDelivery(delivery) else { return false }
    note(.receipt, EntityID(delivery.id))
    if delivery.dueAt != nil { hasQueuedDeliveries = true }
    return true
  }

  /// Writes `delivery`; its receipt counts as changed where it reads otherwise than that of `earlier`.
  mutating func update(_ delivery: StoredDelivery, from earlier: StoredDelivery) throws(StorageError) {
    try transaction.updateDelivery(delivery)
    if delivery.receipt != earlier.receipt { note(.receipt, EntityID(delivery.id)) }
    if delivery.dueAt != nil { hasQueuedDeliveries = true }
  }
}
