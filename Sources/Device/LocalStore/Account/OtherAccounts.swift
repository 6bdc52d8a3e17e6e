import Model
import SQLiteKit

// Rows of other accounts, by the `account_id` of each row: `sync_state` may have been lost. `account` is an account's id.

extension StoreReading {
  /// Whether the store, or a row in it, belongs to another account.
  func holdsOthers(than account: String) throws -> Bool {
    try value(
      """
      SELECT EXISTS (SELECT 1 FROM sync_state WHERE key = 'account_id' AND value <> ?1)
        OR EXISTS (SELECT 1 FROM alerts WHERE account_id <> ?1)
        OR EXISTS (SELECT 1 FROM contacts WHERE account_id <> ?1)
        OR EXISTS (SELECT 1 FROM inbox WHERE account_id <> ?1)
        OR EXISTS (SELECT 1 FROM pending_mutations WHERE account_id <> ?1)
        OR EXISTS (SELECT 1 FROM pending_notifications WHERE account_id <> ?1)
      """, .text(account)) ?? false
  }

  /// The number of queued items of other accounts, or about their rows; a current resubmission is one more.
  func queuedByOthers(than account: String) throws -> Int {
    try value(
      """
      SELECT
        (SELECT count(*) FROM pending_mutations WHERE account_id <> ?1
          OR entity_id IN (SELECT id FROM alerts WHERE account_id <> ?1)
          OR entity_id IN (SELECT id FROM contacts WHERE account_id <> ?1)
          OR entity_id IN (SELECT id FROM inbox WHERE account_id <> ?1))
        + (SELECT count(*) FROM pending_notifications WHERE account_id <> ?1
          OR alert_id IN (SELECT id FROM alerts WHERE account_id <> ?1))
        + (SELECT count(*) FROM sync_state WHERE key = 'resubmission')
      """, .text(account)) ?? 0
  }
}

extension StoreTransaction {
  /// Removes the rows of other accounts, of which nothing is queued, and their state. What was saved before any sign-in stays. What is
  /// removed is overwritten in the file.
  func removeOthers(than account: String) throws {
    try keepSequences()
    try run(script: "PRAGMA secure_delete = ON")
    try run(
      "DELETE FROM receipts WHERE alert_id NOT IN (SELECT id FROM alerts WHERE account_id IS NULL OR account_id = ?)",
      .text(account))
    try run("DELETE FROM contacts WHERE account_id <> ?", .text(account))
    try run("DELETE FROM inbox WHERE account_id <> ?", .text(account))
    try run("DELETE FROM alerts WHERE account_id <> ?", .text(account))
    try run(script: "DELETE FROM presses WHERE alert_id NOT IN (SELECT id FROM alerts)")
    try forgetAccountState()
  }

  /// Removes the session and everything that was learned with it.
  func forgetAccountState() throws {
    for key in StateKey.allCases where !StateKey.lasting.contains(key) { try setValue(nil, for: key) }
  }

  /// Gives rows without an account, as a salvage makes them, to the account that owns the store's other rows.
  func adoptOwnerlessRows() throws {
    let owner: String? = try value(
      """
      SELECT value FROM sync_state WHERE key = 'account_id'
      UNION ALL SELECT account_id FROM alerts WHERE account_id IS NOT NULL
      UNION ALL SELECT account_id FROM pending_mutations WHERE account_id IS NOT NULL
      UNION ALL SELECT account_id FROM pending_notifications WHERE account_id IS NOT NULL
      UNION ALL SELECT account_id FROM contacts WHERE account_id IS NOT NULL
      UNION ALL SELECT account_id FROM inbox WHERE account_id IS NOT NULL
      LIMIT 1
      """)
    if let owner { try adoptRows(for: owner) }
  }
}
