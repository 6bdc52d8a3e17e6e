import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  func addFacts(
    _ needs: FactNeeds, of account: AccountID, to facts: inout AccountFacts
  ) throws(StorageError) {
    let reader = AccountFactsReader(needs, of: account, after: facts)
    var batch = PostgresBatch()
    reader.add(to: &batch)
    try run(batch)
    facts = reader.facts
  }

  func apply(_ writes: WriteSet) throws(StorageError) {
    guard isWritable else { throw StorageError(.readOnly, "a transaction that reads cannot write") }
    var batch = PostgresBatch()
    add(writes, &batch)
    if !batch.isEmpty { try run(batch) }
  }

  func add(_ writes: WriteSet, _ batch: inout PostgresBatch) {
    let account = writes.account
    if let epoch = writes.epoch { setEpoch(epoch, of: account, &batch) }
    for alert in writes.newAlerts { insert(alert, &batch) }
    for alert in writes.changedAlerts { update(alert, &batch) }
    for update in writes.updates { insert(update, &batch) }
    addContacts(writes, &batch)
    if let profile = writes.profile { setProfile(profile, of: account, &batch) }
    for release in writes.releases { add(release, to: account, &batch) }
    for delivery in writes.newDeliveries { insert(delivery, &batch) }
    for delivery in writes.changedDeliveries { update(delivery, &batch) }
    for link in writes.pageLinks { keep(link, &batch) }
    for link in writes.answerLinks { keep(link, &batch) }
    for response in writes.responses { put(response, &batch) }
    for alert in writes.inbox { put(alert, in: account, &batch) }
    for alert in writes.removedInbox { removeInboxAlert(alert, account: account, &batch) }
    for alert in writes.inboxDue { markInboxDue(alert, account: account, &batch) }
    for (id, result) in writes.results { insert(result, of: id, account: account, &batch) }
    for change in writes.changes { insert(change, of: account, &batch) }
    if let position = writes.position { set(position, of: account, &batch) }
    if writes.concernsOthers { markChanged(account, &batch) }
    if let bucket = writes.bucket { set(bucket, of: account, &batch) }
    if let contact = writes.contact { note(contact, with: writes.cursors, of: account, &batch) }
  }

  private func addContacts(_ writes: WriteSet, _ batch: inout PostgresBatch) {
    let account = writes.account
    for contact in writes.contacts { put(contact, of: account, &batch) }
    if !writes.removedContacts.isEmpty {
      batch.add(
        "DELETE FROM contacts WHERE account_id = $1 AND id = ANY($2)", PostgresValue(account),
        PostgresValue(writes.removedContacts))
    }
    if !writes.contacts.isEmpty || !writes.removedContacts.isEmpty {
      markInboxDue(ofFormerRespondersOf: account, &batch)
    }
    for (contact, tested) in writes.tested { set(tested, of: contact, account, &batch) }
    for (contact, failed) in writes.failed { set(failed, of: contact, account, &batch) }
  }

  private func insert(_ result: RecordedResult, of id: MutationID, account: AccountID, _ batch: inout PostgresBatch) {
    var values: (appliedAt: Timestamp?, code: String?, message: String?)
    switch result.verdict {
    case .applied(let time): values = (time, nil, nil)
    case .rejected(let code, let message): values = (nil, code, message)
    }
    batch.add(
      "INSERT INTO mutations (account_id, id, fingerprint, applied_at, code, message) VALUES ($1, $2, $3, $4, $5, $6)",
      PostgresValue(account), PostgresValue(id), .integer(Int64(bitPattern: result.fingerprint)),
      PostgresValue(values.appliedAt), PostgresValue(values.code), PostgresValue(values.message))
  }

  /// In the place of an earlier change of the same entity.
  private func insert(_ change: LoggedChange, of account: AccountID, _ batch: inout PostgresBatch) {
    let entity = (PostgresValue.integer(change.entity.kind.rawValue), PostgresValue(change.entity.id))
    batch.add(
      "DELETE FROM changes WHERE account_id = $1 AND entity_kind = $2 AND entity_id = $3", PostgresValue(account),
      entity.0, entity.1)
    batch.add(
      "INSERT INTO changes (account_id, sequence, entity_kind, entity_id, tag) VALUES ($1, $2, $3, $4, $5)",
      PostgresValue(account), .integer(change.sequence), entity.0, entity.1, .integer(Int64(bitPattern: change.tag)))
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
  func markChanged(_ account: AccountID, _ batch: inout PostgresBatch) {
    hasMarked = true
    batch.add(
      """
      INSERT INTO account_logs (account_id, newest_sequence, newest_ordinal, changed, changed_by)
      VALUES ($1, 0, 0, \(SQL.version), $2)
      ON CONFLICT (account_id) DO UPDATE SET changed = excluded.changed,
        changed_by = CASE WHEN account_logs.changed_by = $2 THEN $2 END
      """, PostgresValue(account), PostgresValue(writer.process))
  }

  private func set(_ bucket: WriteSet.AlertBucket, of account: AccountID, _ batch: inout PostgresBatch) {
    batch.add(
      """
      INSERT INTO alert_buckets (account_id, session_id, is_of_alert_key, full_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (account_id, session_id, is_of_alert_key) DO UPDATE SET full_at = $4
      """, PostgresValue(account), PostgresValue(bucket.session), PostgresValue(bucket.isOfAlertKey),
      PostgresValue(bucket.fullAt))
  }

  func addAlertBucket(
    _ account: AccountID, _ session: SessionID, isOfAlertKey: Bool, _ batch: inout PostgresBatch,
    take: @escaping (Timestamp?) -> Void
  ) {
    batch.add(
      "SELECT full_at FROM alert_buckets WHERE account_id = $1 AND session_id = $2 AND is_of_alert_key = $3",
      PostgresValue(account), PostgresValue(session), PostgresValue(isOfAlertKey)
    ) { rows throws(PostgresError) in take(try rows.value()) }
  }
}

extension WriteSet {
  /// Whether devices or pages would show something else: more than that a device was heard from.
  fileprivate var concernsOthers: Bool {
    !changes.isEmpty || epoch != nil || !newAlerts.isEmpty || !changedAlerts.isEmpty || !updates.isEmpty
      || !responses.isEmpty || !newDeliveries.isEmpty || !changedDeliveries.allSatisfy(\.isLeased)
  }
}
