import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  func apply(_ writes: RequestWrites) throws(StorageError) {
    guard isWritable else { throw StorageError(.readOnly, "a transaction that reads cannot write") }
    guard !writes.isEmpty else { return }
    try begin()
    var batch = PostgresBatch()
    add(writes.accounts, &batch)
    if let verification = writes.newVerification { insert(verification, &batch) }
    if let code = writes.newCode { insert(code, &batch) }
    if let verification = writes.changedVerification { update(verification, &batch) }
    for step in writes.rateCounts { add(step, &batch) }
    if let account = writes.newAccount { insert(account, &batch) }
    if let session = writes.newSession { insert(session, &batch) }
    if let tokens = writes.newTokens { insert(tokens, &batch) }
    for tokens in writes.changedTokens { updateTimes(of: tokens, &batch) }
    for end in writes.endedSessions { self.end(end, &batch) }
    try write(batch, of: writes.accounts)
  }

  func removeExpired(_ expiry: Expiry, limit: Int) throws(StorageError) -> Int {
    let count = Box(0)
    var batch = PostgresBatch()
    let limit = PostgresValue(limit)
    func remove(_ statement: String, _ parameters: PostgresValue...) {
      batch.add(statement, parameters + [limit]) { count.value += $0.affectedCount }
    }
    remove(
      "DELETE FROM verifications WHERE id IN (SELECT id FROM verifications WHERE expires_at < $1 LIMIT $2)",
      PostgresValue(expiry.codes))
    remove(
      """
      DELETE FROM rate_counts WHERE (key, start_at) IN
        (SELECT key, start_at FROM rate_counts WHERE expires_at < $1 LIMIT $2)
      """, PostgresValue(expiry.rateCounts))
    remove(
      """
      DELETE FROM alert_levels WHERE (account_id, session_id, is_of_alert_key, full_at) IN
        (SELECT account_id, session_id, is_of_alert_key, full_at FROM alert_levels WHERE full_at < $1 LIMIT $2)
      """, PostgresValue(expiry.rateCounts))
    // Of the version before.
    remove(
      """
      DELETE FROM alert_buckets WHERE (account_id, session_id, is_of_alert_key) IN
        (SELECT account_id, session_id, is_of_alert_key FROM alert_buckets WHERE full_at < $1 LIMIT $2)
      """, PostgresValue(expiry.rateCounts))
    remove(
      """
      DELETE FROM tokens WHERE (account_id, session_id, generation) IN (
        SELECT old.account_id, old.session_id, old.generation FROM tokens AS old
        WHERE old.refresh_expires_at < $2 OR old.replaced_at < $1 AND EXISTS (
          SELECT 1 FROM tokens AS next
          WHERE next.account_id = old.account_id AND next.session_id = old.session_id
            AND next.generation = old.generation + 1 AND next.first_used_at IS NOT NULL)
        LIMIT $3)
      """, PostgresValue(expiry.replacedTokens), PostgresValue(expiry.expiredTokens))
    remove(
      """
      WITH ended AS (
        DELETE FROM sessions WHERE (account_id, id) IN
          (SELECT account_id, id FROM sessions WHERE alert_key_ended_at < $1 LIMIT $2)
        RETURNING account_id, id),
      their_tokens AS (
        DELETE FROM tokens USING ended WHERE tokens.account_id = ended.account_id AND tokens.session_id = ended.id)
      SELECT id FROM ended
      """, PostgresValue(expiry.endedSessions))
    remove(
      """
      WITH ended AS (
        DELETE FROM inbox WHERE (account_id, id) IN
          (SELECT account_id, id FROM inbox WHERE ended_at < $1 LIMIT $2)
        RETURNING account_id, id, source_account_id, source_alert_id),
      their_posts AS (
        DELETE FROM inbox_posts USING ended
        WHERE inbox_posts.account_id = ended.source_account_id AND inbox_posts.alert_id = ended.source_alert_id
          AND inbox_posts.inbox_account_id = ended.account_id)
      SELECT id FROM ended
      """, PostgresValue(expiry.endedInbox))
    try run(batch)
    return count.value
  }
}
