import Model
import PostgresKit
import ServerCore

// The log of changes, and which accounts other processes look at again.
extension PostgresTransaction {
  func addLog(_ accounts: [WriteSet], _ batch: inout PostgresBatch) {
    insert(accounts.flatMap { writes in writes.changes.map { (writes.account, $0) } }, &batch)
    let moved = accounts.filter { $0.position != nil && $0.concernsOthers }
    advance(moved.compactMap { writes in writes.position.map { (writes.account, $0) } }, &batch)
    for writes in accounts where writes.position == nil || !writes.concernsOthers {
      if let position = writes.position { set(position, of: writes.account, &batch) }
      if writes.concernsOthers { markChanged(writes.account, &batch) }
    }
  }

  /// In the place of earlier changes of the same entities.
  private func insert(_ changes: [(account: AccountID, change: LoggedChange)], _ batch: inout PostgresBatch) {
    guard !changes.isEmpty else { return }
    batch.add(
      """
      INSERT INTO changes (account_id, sequence, entity_kind, entity_id, tag)
      SELECT account_id, sequence, entity_kind, entity_id, tag
      FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::uuid[], $5::bigint[])
        AS given (account_id, sequence, entity_kind, entity_id, tag)
      ON CONFLICT (account_id, entity_kind, entity_id) DO UPDATE SET sequence = excluded.sequence, tag = excluded.tag
      """, PostgresValue(changes.map(\.account)),
      PostgresValue(.integer, of: changes) { .integer($0.change.sequence) },
      PostgresValue(.integer, of: changes) { .integer($0.change.entity.kind.rawValue) },
      PostgresValue(changes.map(\.change.entity.id)),
      PostgresValue(.integer, of: changes) { .integer(Int64(bitPattern: $0.change.tag)) })
  }

  /// Sets the counters of accounts, and does what `markChanged` does. Of a new account all processes are told, this one too.
  private func advance(_ accounts: [(account: AccountID, position: LogPosition)], _ batch: inout PostgresBatch) {
    guard !accounts.isEmpty else { return }
    hasMarked = true
    batch.add(
      """
      INSERT INTO account_logs (account_id, newest_sequence, newest_ordinal, changed, changed_by)
      SELECT account_id, newest_sequence, newest_ordinal, $5, NULL
      FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS given (account_id, newest_sequence, newest_ordinal)
      ON CONFLICT (account_id) DO UPDATE SET newest_sequence = excluded.newest_sequence,
        newest_ordinal = excluded.newest_ordinal, changed = excluded.changed,
        changed_by = CASE WHEN account_logs.changed_by = $4 THEN $4 END
      """, PostgresValue(accounts.map(\.account)),
      PostgresValue(.integer, of: accounts) { .integer($0.position.newestSequence) },
      PostgresValue(.integer, of: accounts) { .integer($0.position.newestOrdinal) }, PostgresValue(writer.process),
      changed
    ) { [self] rows in isNumbered = isNumbered || rows.affectedCount > 0 }
  }

  private func set(_ position: LogPosition, of account: AccountID, _ batch: inout PostgresBatch) {
    batch.add(
      """
      INSERT INTO account_logs (account_id, newest_sequence, newest_ordinal) VALUES ($1, $2, $3)
      ON CONFLICT (account_id) DO UPDATE SET newest_sequence = $2, newest_ordinal = $3
      """, PostgresValue(account), .integer(position.newestSequence), .integer(position.newestOrdinal))
  }

  /// Tells the other processes, whose event streams may be of this account. Once several have changed it, all are told, this one too: it may
  /// not have heard yet of what another one changed before.
  private func markChanged(_ account: AccountID, _ batch: inout PostgresBatch) {
    hasMarked = true
    batch.add(
      """
      INSERT INTO account_logs (account_id, newest_sequence, newest_ordinal, changed, changed_by)
      VALUES ($1, 0, 0, $3, $2)
      ON CONFLICT (account_id) DO UPDATE SET changed = excluded.changed,
        changed_by = CASE WHEN account_logs.changed_by = $2 THEN $2 END
      """, PostgresValue(account), PostgresValue(writer.process), changed
    ) { [self] rows in isNumbered = isNumbered || rows.affectedCount > 0 }
  }
}

extension WriteSet {
  /// Whether devices or pages would show something else: more than that a device was heard from, or that a message is being sent.
  fileprivate var concernsOthers: Bool {
    !changes.isEmpty || epoch != nil || !newAlerts.isEmpty || !changedAlerts.isEmpty || !updates.isEmpty
      || !responses.isEmpty || !newDeliveries.isEmpty || !changedDeliveries.allSatisfy(\.isLeased)
  }
}
