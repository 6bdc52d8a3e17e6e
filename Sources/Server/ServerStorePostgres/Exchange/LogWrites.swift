import Model
import PostgresKit
import ServerCore

// The log of changes, and which accounts other processes look at again.
extension PostgresTransaction {
  func addLog(_ accounts: [WriteSet], _ batch: inout PostgresBatch) {
    insert(accounts.flatMap { writes in writes.changes.map { (writes.account, $0) } }, &batch)
    raiseLimits(accounts.compactMap { writes in writes.position.map { (writes.account, $0) } }, &batch)
    var bearsNumber = accounts.contains { !$0.newDeliveries.isEmpty || !$0.changedDeliveries.isEmpty }
    for writes in accounts where writes.concernsOthers {
      hasMarked = true
      // Its changes tell of it, but not to processes of older programs, which also look for the newest number where changes have none.
      guard writes.changes.isEmpty || servesOlder || !bearsNumber else { continue }
      markChanged(writes.account, &batch)
      bearsNumber = true
    }
  }

  /// In the place of earlier changes of the same entities. Once several processes have changed an entity, all are told, this one too: it may
  /// not have heard yet of what another one changed before.
  private func insert(_ changes: [(account: AccountID, change: LoggedChange)], _ batch: inout PostgresBatch) {
    guard !changes.isEmpty else { return }
    batch.add(
      """
      INSERT INTO changes (account_id, sequence, entity_kind, entity_id, tag, changed, changed_by)
      SELECT account_id, sequence, entity_kind, entity_id, tag, $6, $7
      FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::uuid[], $5::bigint[])
        AS given (account_id, sequence, entity_kind, entity_id, tag)
      ON CONFLICT (account_id, entity_kind, entity_id) DO UPDATE SET sequence = excluded.sequence, tag = excluded.tag,
        changed = excluded.changed, changed_by = CASE WHEN changes.changed_by = excluded.changed_by THEN excluded.changed_by END
      """, PostgresValue(changes.map(\.account)),
      PostgresValue(.integer, of: changes) { .integer($0.change.sequence) },
      PostgresValue(.integer, of: changes) { .integer($0.change.entity.kind.rawValue) },
      PostgresValue(changes.map(\.change.entity.id)),
      PostgresValue(.integer, of: changes) { .integer(Int64(bitPattern: $0.change.tag)) }, changed,
      PostgresValue(writer.process)
    ) { [self] rows in isNumbered = isNumbered || rows.affectedCount > 0 }
  }

  /// Reserves positions where the next one would pass those that are reserved: a row that each change of an account changes has a version
  /// more for each, while anyone keeps an old state of the database in sight.
  private func raiseLimits(_ moved: [(account: AccountID, position: LogPosition)], _ batch: inout PostgresBatch) {
    let accounts = moved.filter { found[$0.account]?.limits?.covers($0.position) != true }
    guard !accounts.isEmpty else { return }
    let given =
      "FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS given (account_id, newest_sequence, newest_ordinal)"
    let parameters = [
      PostgresValue(accounts.map(\.account)),
      PostgresValue(.integer, of: accounts) { .integer($0.position.newestSequence) },
      PostgresValue(.integer, of: accounts) { .integer($0.position.newestOrdinal) },
      .integer(PositionLimits.reserve),
    ]
    batch.add(
      """
      UPDATE account_logs SET newest_sequence = greatest(account_logs.newest_sequence, given.newest_sequence + $4),
        newest_ordinal = greatest(account_logs.newest_ordinal, given.newest_ordinal + $4), active_from = \(Self.firstActiveOrdinal)
      \(given)
      WHERE account_logs.account_id = given.account_id
        AND (account_logs.newest_sequence < given.newest_sequence OR account_logs.newest_ordinal < given.newest_ordinal)
      """, parameters)
    batch.add(
      """
      INSERT INTO account_logs (account_id, newest_sequence, newest_ordinal, changed_by)
      SELECT account_id, newest_sequence + $4, newest_ordinal + $4, $5 \(given)
      WHERE NOT EXISTS (SELECT 1 FROM account_logs WHERE account_logs.account_id = given.account_id)
      """, parameters + [PostgresValue(writer.process)])
  }

  /// The ordinal of the first active alert of the account in `account_logs`; that of its newest one where none is active. An alert that is added
  /// later has a greater one.
  private static let firstActiveOrdinal = """
    coalesce(
        (SELECT min(ordinal) FROM alerts
          WHERE alerts.account_id = account_logs.account_id AND ended_at IS NULL AND ordinal >= account_logs.active_from),
        (SELECT max(ordinal) FROM alerts WHERE alerts.account_id = account_logs.account_id),
        account_logs.active_from)
    """

  /// Tells the other processes, whose event streams may be of this account. Once several have changed it, all are told, this one too: it may
  /// not have heard yet of what another one changed before.
  private func markChanged(_ account: AccountID, _ batch: inout PostgresBatch) {
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
      || !responses.isEmpty || !removedResponses.isEmpty || !newDeliveries.isEmpty
      || !changedDeliveries.allSatisfy(\.isLeased)
  }
}

/// The positions up to which `account_logs` has reserved those of an account. The newest are in its changes and its alerts.
struct PositionLimits {
  /// How far beyond the newest position a limit is raised.
  static let reserve: Int64 = 64

  var sequence: Int64
  var ordinal: Int64

  /// Whether it is one of the reserved ones.
  func covers(_ position: LogPosition) -> Bool {
    position.newestSequence <= sequence && position.newestOrdinal <= ordinal
  }

  /// The newest position, where these are the newest that rows have. A limit that is further ahead than it is ever raised tells that rows are
  /// gone: then their positions are not given again.
  func newest(sequence newestSequence: Int64, ordinal newestOrdinal: Int64) -> LogPosition {
    LogPosition(
      newestSequence: sequence - newestSequence > Self.reserve ? sequence : newestSequence,
      newestOrdinal: ordinal - newestOrdinal > Self.reserve ? ordinal : newestOrdinal)
  }
}

/// What a transaction that writes has found of an account, so that it need not look again. Nobody else changes it meanwhile.
struct FoundAccount {
  /// The least ordinal that an active alert can have; greater than all where none is active.
  var firstActive: Int64?
  /// At least these are reserved.
  var limits: PositionLimits?
}
