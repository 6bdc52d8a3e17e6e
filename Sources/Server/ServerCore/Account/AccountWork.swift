import Model
import Secrets
import Wire

/// The work of one decision on one account: the rules change its state, it collects the changed entities, and at its end gives each
/// one new row of the log.
///
/// Nobody sees the middle of a transaction, so only the last change of an entity is logged.
struct AccountWork {
  let account: AccountID
  let configuration: ServerConfiguration
  let now: Timestamp
  var state: AccountState
  var entropy: Entropy
  /// The counters, advanced by this decision.
  var position: LogPosition
  /// A delivery was queued or released.
  var hasQueuedDeliveries = false
  var observations: [Observation] = []
  private(set) var changes: [LoggedChange] = []
  /// In the order of the last change of each; nil if the entity changed again later.
  private var changed: [EntityKey?] = []
  private var places: [EntityKey: Int] = [:]

  init(configuration: ServerConfiguration, now: Timestamp, state: AccountState, entropy: Entropy) {
    account = state.account
    self.configuration = configuration
    self.now = now
    self.state = state
    // A stream for each account, so that two accounts in one transaction share no tag.
    self.entropy = entropy.stream(for: "account \(state.account)")
    position = state.facts.position
  }

  /// Whether anything of the account has changed.
  var hasChanges: Bool { !places.isEmpty || !changes.isEmpty }

  mutating func note(_ kind: EntityKey.Kind, _ id: EntityID) {
    let key = EntityKey(kind, id)
    if let place = places.updateValue(changed.count, forKey: key) { changed[place] = nil }
    changed.append(key)
  }

  /// Gives every changed entity its place in the log. No rule may run afterwards.
  mutating func finish() {
    state.noteInboxesDue()
    if !state.inboxDue.isEmpty { hasQueuedDeliveries = true }
    for case let key? in changed {
      position.newestSequence += 1
      changes.append(LoggedChange(sequence: position.newestSequence, tag: entropy.word(), entity: key))
    }
    changed = []
    places = [:]
  }

  /// Everything to be written, after `finish`.
  func writeSet() -> WriteSet {
    var writes = state.writeSet()
    writes.changes = changes
    if position != state.facts.position { writes.position = position }
    return writes
  }

  // Deliveries, with their receipts noted as changes.

  /// False if there is one for this target, notice, role and call.
  @discardableResult
  mutating func insert(_ delivery: StoredDelivery) -> Bool {
    guard state.insertDelivery(delivery) else { return false }
    if delivery.hasReceipt { note(.receipt, EntityID(delivery.id)) }
    if delivery.dueAt != nil { hasQueuedDeliveries = true }
    return true
  }

  /// Writes `delivery`; logs its receipt as changed if it differs from that of `earlier`.
  mutating func update(_ delivery: StoredDelivery, from earlier: StoredDelivery) {
    state.updateDelivery(delivery)
    if delivery.hasReceipt, delivery.receipt != earlier.receipt || !earlier.hasReceipt {
      note(.receipt, EntityID(delivery.id))
    }
    if delivery.dueAt != nil { hasQueuedDeliveries = true }
  }
}
