import Model
import PlantedBugs
import Wire

/// A page of an account's changes.
struct ChangePage {
  var changes: [Change]
  /// Behind the last of them.
  var cursor: SyncCursor
  var hasMore: Bool

  /// The page behind `start`, with what this exchange changed: `work` is finished.
  static func of(_ work: inout AccountWork, after start: SyncCursor, limit: Int, _ keys: ServerKeys) -> Self {
    var logged = work.loggedChanges(after: start.sequence, limit: limit + 1)
    let hasMore = logged.count > limit
    if hasMore { logged.removeLast() }
    var cursor = start
    if let last = logged.last?.change {
      cursor.sequence = last.sequence
      cursor.tag = last.tag
    }
    let account = work.account
    let changes = logged.compactMap { change(of: $0.change.entity, $0.entity, account: account, keys) }
    return Self(changes: changes, cursor: cursor, hasMore: hasMore)
  }

  private static func change(
    of key: EntityKey, _ entity: LoggedEntity, account: AccountID, _ keys: ServerKeys
  ) -> Change? {
    switch entity {
    case .alert(let record): .alert(record)
    case .contact(let id, let details): .contact(id, keys.record(of: details, id: id, account: account))
    case .receipt(let receipt): .receipt(receipt)
    // Alerts and receipts are never removed.
    case .removed where PlantedBug.removalUntold.isPlanted: nil
    case .removed: key.kind == .contact ? .contact(ContactID(key.id), nil) : nil
    }
  }
}

extension AccountWork {
  /// Up to `limit` changes beyond `sequence`, oldest first: the stored ones that still stand, then those of this decision.
  fileprivate mutating func loggedChanges(
    after sequence: Int64, limit: Int
  ) -> [(change: LoggedChange, entity: LoggedEntity)] {
    let needed = PageNeed(after: sequence, count: limit)
    guard let loaded = state.facts.needs.page, loaded.sequence == sequence, loaded.count >= limit else {
      state.missing.page = needed
      return []
    }
    let replaced = Set(changes.map(\.entity))
    let stored = state.facts.page.filter { !replaced.contains($0.change.entity) }
    let isWhole = state.facts.page.count < loaded.count
    if !isWhole, stored.count < limit {
      state.missing.page = PageNeed(after: sequence, count: loaded.count + replaced.count)
      return []
    }
    let own = changes.filter { $0.sequence > sequence }.map { (change: $0, entity: state.entity($0.entity)) }
    return Array((stored + (isWhole ? own : [])).prefix(limit))
  }
}

extension AccountState {
  /// What the entity is now.
  fileprivate func entity(_ key: EntityKey) -> LoggedEntity {
    switch key.kind {
    case .alert: alerts[AlertID(key.id)].map { .alert($0.record) } ?? .removed
    case .contact: contacts[ContactID(key.id)].map { .contact(ContactID(key.id), $0) } ?? .removed
    case .receipt: deliveries[DeliveryID(key.id)].map { .receipt($0.receipt) } ?? .removed
    }
  }
}
