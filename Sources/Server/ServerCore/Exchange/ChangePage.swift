import Model
import PlantedBugs
import Wire

/// A page of an account's changes.
struct ChangePage {
  var changes: [Change]
  /// The position after the last of them.
  var cursor: SyncCursor
  var hasMore: Bool

  /// The page after `start`, including the changes of this exchange. `work` must be finished.
  static func of(_ work: inout AccountWork, after start: SyncCursor, limit: Int, _ keys: ServerKeys) -> Self {
    let (logged, hasMore) = work.loggedChanges(after: start.sequence, limit: limit)
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
    case .contact(let id, let details, let tested, let failed):
      .contact(id, keys.record(of: details, tested, failed, id: id, account: account))
    case .receipt(let receipt): .receipt(receipt)
    case .profile(let profile): .profile(account, profile)
    case .inbox(let alert): .inbox(alert.id, alert)
    case .removed where PlantedBug.removalUntold.isPlanted: nil
    case .removed: removal(of: key)
    }
  }
}

extension ChangePage {
  /// Nothing else is ever removed.
  private static func removal(of key: EntityKey) -> Change? {
    switch key.kind {
    case .contact: .contact(ContactID(key.id), nil)
    case .inbox: .inbox(InboxID(key.id), nil)
    case .alert, .receipt, .profile: nil
    }
  }
}

extension AccountWork {
  /// Up to `limit` changes beyond `sequence`, oldest first: the stored ones that still stand, then those of this decision. A page
  /// may be shorter though there is more, where this decision replaced some of the stored changes.
  fileprivate mutating func loggedChanges(
    after sequence: Int64, limit: Int
  ) -> (page: [(change: LoggedChange, entity: LoggedEntity)], hasMore: Bool) {
    guard let loaded = state.facts.needs.page, loaded.sequence == sequence, loaded.count > limit else {
      state.missing.page = PageNeed(after: sequence, count: limit + 1)
      return ([], false)
    }
    let replaced = Set(changes.map(\.entity))
    let stored = state.facts.page.filter { !replaced.contains($0.change.entity) }
    let isWhole = state.facts.page.count < loaded.count
    // An empty page would leave the device where it was: a further round trip.
    if !isWhole, stored.isEmpty { state.missing.page = PageNeed(after: sequence, count: loaded.count + replaced.count) }
    guard isWhole else { return (Array(stored.prefix(limit)), true) }
    let own = changes.filter { $0.sequence > sequence }.map { (change: $0, entity: state.entity($0.entity)) }
    return (Array((stored + own).prefix(limit)), stored.count + own.count > limit)
  }
}

extension AccountState {
  /// What the entity is now.
  fileprivate func entity(_ key: EntityKey) -> LoggedEntity {
    switch key.kind {
    case .alert: alerts[AlertID(key.id)].map { .alert($0.record) } ?? .removed
    case .contact: contact(ContactID(key.id))
    case .receipt:
      deliveries[DeliveryID(key.id)].flatMap { $0.hasReceipt ? .receipt($0.receipt) : nil } ?? .removed
    case .profile: profile.map { .profile($0) } ?? .removed
    case .inbox: inbox[InboxID(key.id)].map { .inbox($0.alert) } ?? .removed
    }
  }

  private func contact(_ id: ContactID) -> LoggedEntity {
    contacts[id].map { .contact(id, $0, tested[id] ?? [], failed[id] ?? []) } ?? .removed
  }
}
