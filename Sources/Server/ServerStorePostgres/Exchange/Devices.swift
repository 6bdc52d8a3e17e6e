import Model
import PostgresKit
import ServerCore

// Cursors and contacts of devices.
extension PostgresTransaction {
  func note(
    _ contact: WriteSet.DeviceContact, with cursors: [CursorClaim], of account: AccountID, _ batch: inout PostgresBatch
  ) {
    if !cursors.isEmpty { remember(cursors, contact, account, &batch) }
    // The newest row moves on; a device without one is a new one, and may be one too many. What programs of before had is older.
    batch.add(
      """
      WITH moved AS (
        UPDATE last_contacts SET last_contact_at = $3
        WHERE account_id = $1 AND device_id = $2 AND last_contact_at = (
          SELECT last_contact_at FROM last_contacts WHERE account_id = $1 AND device_id = $2
          ORDER BY last_contact_at DESC LIMIT 1)
        RETURNING account_id),
      replaced AS (
        DELETE FROM device_contacts WHERE account_id = $1 AND device_id = $2),
      forgotten AS (
        DELETE FROM last_contacts WHERE NOT EXISTS (SELECT 1 FROM moved) AND account_id = $1
          AND (device_id, last_contact_at) IN (
            SELECT device_id, last_contact_at FROM last_contacts WHERE account_id = $1
            ORDER BY last_contact_at DESC, device_id OFFSET $4)
        RETURNING account_id, device_id),
      their_cursors AS (
        DELETE FROM cursors USING forgotten
        WHERE cursors.account_id = forgotten.account_id AND cursors.device_id = forgotten.device_id)
      INSERT INTO last_contacts (account_id, device_id, last_contact_at)
      SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT 1 FROM moved)
      """, PostgresValue(account), PostgresValue(contact.device), PostgresValue(contact.at),
      // The new one comes beside them.
      PostgresValue(contact.deviceLimit - 1))
    if servesOlder {
      batch.add(
        """
        INSERT INTO device_contacts (account_id, device_id, last_contact_at) VALUES ($1, $2, $3)
        ON CONFLICT (account_id, device_id) DO UPDATE SET last_contact_at = $3
        """, PostgresValue(account), PostgresValue(contact.device), PostgresValue(contact.at))
    }
  }

  private func remember(
    _ cursors: [CursorClaim], _ contact: WriteSet.DeviceContact, _ account: AccountID, _ batch: inout PostgresBatch
  ) {
    batch.add(
      """
      INSERT INTO cursors (account_id, device_id, sequence, tag)
      SELECT $1, $2, sequence, tag FROM unnest($3::bigint[], $4::bigint[]) AS given (sequence, tag)
      ON CONFLICT (account_id, device_id, sequence) DO NOTHING
      """, PostgresValue(account), PostgresValue(contact.device),
      PostgresValue(.integer, of: cursors) { .integer($0.sequence) },
      PostgresValue(.integer, of: cursors) { .integer(Int64(bitPattern: $0.tag)) })
    guard cursors.contains(where: { $0.tag % Self.forgettingShare == 0 }) else { return }
    batch.add(
      """
      DELETE FROM cursors WHERE account_id = $1 AND device_id = $2 AND sequence <= (
        SELECT sequence FROM cursors WHERE account_id = $1 AND device_id = $2 ORDER BY sequence DESC OFFSET $3 LIMIT 1)
      """, PostgresValue(account), PostgresValue(contact.device), PostgresValue(contact.cursorLimit))
  }

  /// Old cursors of a device are forgotten with one in so many that are added, by its random tag: to find them all newer ones are visited,
  /// which take a page of the table each while anyone keeps an old state of the database in sight.
  private static let forgettingShare: UInt64 = 16
}
