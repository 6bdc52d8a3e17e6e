import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  func addFacts(
    _ needs: FactNeeds, of account: AccountID, to facts: inout AccountFacts
  ) throws(StorageError) {
    let reader = AccountFactsReader(needs, of: account, after: facts, in: self)
    try run(PostgresBatch(), [reader])
    facts = reader.facts
  }

  func apply(_ writes: WriteSet) throws(StorageError) {
    guard isWritable else { throw StorageError(.readOnly, "a transaction that reads cannot write") }
    try begin()
    var batch = PostgresBatch()
    add([writes], &batch)
    try write(batch, of: [writes])
  }

  /// Sends what is to be written, so that PostgreSQL writes it while the next decision is made.
  func write(_ batch: PostgresBatch, of accounts: [WriteSet]) throws(StorageError) {
    guard !batch.isEmpty else { return }
    let number = try send(batch)
    // What these make due is known from their rows.
    if accounts.contains(where: { !$0.releases.isEmpty }) { try receive(through: number) }
  }

  /// Of different accounts. What each delivery and each change of the log costs comes in one statement for all of them.
  func add(_ accounts: [WriteSet], _ batch: inout PostgresBatch) {
    for writes in accounts { addAlerts(writes, &batch) }
    let isHeardWithRows = accounts.contains { !$0.releases.isEmpty }
    insert(accounts.flatMap(\.newDeliveries), isHeardWithRows: isHeardWithRows, &batch)
    update(accounts.flatMap(\.changedDeliveries), isHeardWithRows: isHeardWithRows, &batch)
    keep(accounts.flatMap(\.pageLinks), &batch)
    keep(accounts.flatMap(\.answerLinks), &batch)
    for writes in accounts { addRest(writes, &batch) }
    addLog(accounts, &batch)
    for writes in accounts {
      if let bucket = writes.bucket { set(bucket, of: writes.account, &batch) }
      if let contact = writes.contact { note(contact, with: writes.cursors, of: writes.account, &batch) }
    }
  }

  private func addAlerts(_ writes: WriteSet, _ batch: inout PostgresBatch) {
    let account = writes.account
    if let epoch = writes.epoch { setEpoch(epoch, of: account, &batch) }
    for alert in writes.newAlerts { insert(alert, &batch) }
    for alert in writes.changedAlerts { update(alert, &batch) }
    for update in writes.updates { insert(update, &batch) }
    addContacts(writes, &batch)
    if let profile = writes.profile { setProfile(profile, of: account, &batch) }
    for release in writes.releases { add(release, to: account, &batch) }
  }

  private func addRest(_ writes: WriteSet, _ batch: inout PostgresBatch) {
    let account = writes.account
    for response in writes.responses { put(response, &batch) }
    removeResponses(writes.removedResponses, account: account, &batch)
    for alert in writes.inbox { put(alert, in: account, &batch) }
    for alert in writes.removedInbox { removeInboxAlert(alert, account: account, &batch) }
    for alert in writes.inboxDue { markInboxDue(alert, account: account, &batch) }
    for (id, result) in writes.results { insert(result, of: id, account: account, &batch) }
  }

  private func addContacts(_ writes: WriteSet, _ batch: inout PostgresBatch) {
    let account = writes.account
    for contact in writes.contacts { put(contact, of: account, &batch) }
    if !writes.removedContacts.isEmpty {
      batch.add(
        """
        DELETE FROM contacts USING unnest($2::uuid[]) AS removed (id)
        WHERE contacts.account_id = $1 AND contacts.id = removed.id
        """, PostgresValue(account),
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

  private func set(_ bucket: WriteSet.AlertBucket, of account: AccountID, _ batch: inout PostgresBatch) {
    batch.add(
      """
      WITH moved AS (
        UPDATE alert_levels SET full_at = $4
        WHERE account_id = $1 AND session_id = $2 AND is_of_alert_key = $3 AND full_at = (
          SELECT full_at FROM alert_levels WHERE account_id = $1 AND session_id = $2 AND is_of_alert_key = $3
          ORDER BY full_at DESC LIMIT 1)
        RETURNING account_id)
      INSERT INTO alert_levels (account_id, session_id, is_of_alert_key, full_at)
      SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT 1 FROM moved)
      """, PostgresValue(account), PostgresValue(bucket.session), PostgresValue(bucket.isOfAlertKey),
      PostgresValue(bucket.fullAt))
  }

  func addAlertBucket(
    _ account: AccountID, of credential: CredentialHash, _ batch: inout PostgresBatch,
    take: @escaping (Timestamp?) -> Void
  ) {
    let (session, hash, isOfAlertKey) =
      switch credential {
      case .accessToken(let hash):
        ("SELECT session_id FROM tokens WHERE account_id = $1 AND access_hash = $2 LIMIT 1", hash, false)
      case .alertKey(let hash):
        ("SELECT id FROM sessions WHERE account_id = $1 AND alert_key_hash = $2 LIMIT 1", hash, true)
      }
    batch.add(
      """
      SELECT full_at FROM alert_levels WHERE account_id = $1 AND session_id = (\(session)) AND is_of_alert_key = $3
      ORDER BY full_at DESC LIMIT 1
      """,
      PostgresValue(account), .bytes(hash), PostgresValue(isOfAlertKey)
    ) { rows throws(PostgresError) in take(try rows.value()) }
  }
}
