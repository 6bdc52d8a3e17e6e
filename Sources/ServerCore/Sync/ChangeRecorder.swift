import Model
import Secrets

/// Collects what one transaction changes in one account, and at its end writes each entity once into the log.
///
/// Nobody sees the middle of a transaction, so only the last change of an entity counts.
struct ChangeRecorder {
  let account: AccountID
  /// The counters, moved on by this transaction.
  var position: LogPosition
  private let original: LogPosition
  private var changed: [EntityKey?] = []
  private var places: [EntityKey: Int] = [:]

  init(account: AccountID, in transaction: any ServerTransaction) throws(StorageError) {
    self.account = account
    position = try transaction.logPosition(of: account)
    original = position
  }

  var isEmpty: Bool { places.isEmpty }

  mutating func note(_ kind: EntityKey.Kind, _ id: EntityID) {
    let key = EntityKey(kind, id)
    if let place = places.updateValue(changed.count, forKey: key) { changed[place] = nil }
    changed.append(key)
  }

  mutating func note(_ delivery: StoredDelivery) {
    note(.receipt, EntityID(delivery.id))
  }

  /// Writes the log and the counters. Says whether anything of the account changed.
  mutating func finish(
    in transaction: any ServerTransaction, entropy: inout Entropy
  ) throws(StorageError) -> Bool {
    for case let key? in changed {
      position.newestSequence += 1
      let change = LoggedChange(sequence: position.newestSequence, tag: entropy.word(), entity: key)
      try transaction.insertChange(change, of: account)
    }
    if position != original { try transaction.setLogPosition(position, of: account) }
    defer {
      changed = []
      places = [:]
    }
    return !isEmpty
  }
}
