import Model
import SQLiteKit

// Whose rows these are, by the rows themselves: `sync_state` may have been lost. Each function is called inside a write
// transaction, and `account` is an account's id.
extension Connection {
  /// Whether the store, or a row in it, is of another account.
  func holdsOthers(than account: String) throws -> Bool {
    try statement(
      """
      SELECT EXISTS (SELECT 1 FROM sync_state WHERE key = 'account_id' AND value <> ?1)
        OR EXISTS (SELECT 1 FROM alerts WHERE account_id <> ?1)
        OR EXISTS (SELECT 1 FROM contacts WHERE account_id <> ?1)
        OR EXISTS (SELECT 1 FROM pending_mutations WHERE account_id <> ?1)
        OR EXISTS (SELECT 1 FROM pending_notifications WHERE account_id <> ?1)
      """
    ).first(.text(account)) { $0.boolean(0) } ?? false
  }

  /// How much is queued of other accounts, or of what is theirs; a resubmission under way is one more.
  func queuedByOthers(than account: String) throws -> Int {
    try statement(
      """
      SELECT
        (SELECT count(*) FROM pending_mutations WHERE account_id <> ?1
          OR entity_id IN (SELECT id FROM alerts WHERE account_id <> ?1)
          OR entity_id IN (SELECT id FROM contacts WHERE account_id <> ?1))
        + (SELECT count(*) FROM pending_notifications WHERE account_id <> ?1
          OR alert_id IN (SELECT id FROM alerts WHERE account_id <> ?1))
        + (SELECT count(*) FROM sync_state WHERE key = 'resubmission')
      """
    ).first(.text(account)) { Int($0.integer(0)) } ?? 0
  }

  /// Removes what is of other accounts, where nothing of it is queued, and what the device knew for them. What was saved
  /// before any sign-in stays. What is removed is overwritten in the file.
  func removeOthers(than account: String) throws {
    try keepSequences()
    try execute("PRAGMA secure_delete = ON")
    for delete in [
      try statement(
        "DELETE FROM receipts WHERE alert_id NOT IN (SELECT id FROM alerts WHERE account_id IS NULL OR account_id = ?)"),
      try statement("DELETE FROM contacts WHERE account_id <> ?"),
      try statement("DELETE FROM alerts WHERE account_id <> ?"),
    ] { try delete.run(.text(account)) }
    try execute("DELETE FROM presses WHERE alert_id NOT IN (SELECT id FROM alerts)")
    try forgetAccountState()
  }

  /// Forgets the session and all that was learnt by it.
  func forgetAccountState() throws {
    for key in StateKey.allCases where !StateKey.lasting.contains(key) { try setValue(nil, for: key) }
  }

  /// Rows that are nobody's, as a salvage makes them, are the account's to which the store's other rows belong.
  func adoptOwnerlessRows() throws {
    let owner = try statement(
      """
      SELECT value FROM sync_state WHERE key = 'account_id'
      UNION ALL SELECT account_id FROM alerts WHERE account_id IS NOT NULL
      UNION ALL SELECT account_id FROM pending_mutations WHERE account_id IS NOT NULL
      UNION ALL SELECT account_id FROM pending_notifications WHERE account_id IS NOT NULL
      UNION ALL SELECT account_id FROM contacts WHERE account_id IS NOT NULL
      LIMIT 1
      """
    ).first { $0.text(0) }
    if let owner { try adoptRows(for: owner) }
  }
}
