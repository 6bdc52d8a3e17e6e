import Model
import PlantedBugs
import Wire

/// A page of an account's changes.
struct ChangePage {
  var changes: [Change]
  /// Behind the last of them.
  var cursor: SyncCursor
  var hasMore: Bool

  static func read(
    after start: SyncCursor, account: AccountID, limit: Int, _ context: RequestContext
  ) throws(StorageError) -> Self {
    var logged = try context.transaction.changes(of: account, after: start.sequence, limit: limit + 1)
    let hasMore = logged.count > limit
    if hasMore { logged.removeLast() }
    var cursor = start
    if let last = logged.last?.change {
      cursor.sequence = last.sequence
      cursor.tag = last.tag
    }
    let changes = logged.compactMap { change(of: $0.change.entity, $0.entity, account: account, context.keys) }
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
