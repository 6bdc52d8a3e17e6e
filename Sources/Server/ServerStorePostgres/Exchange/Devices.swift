import Model
import PostgresKit
import ServerCore

// Cursors and contacts of devices.
extension PostgresTransaction {
  func note(
    _ contact: WriteSet.DeviceContact, with cursors: [CursorClaim], of account: AccountID, _ batch: inout PostgresBatch
  ) {
    if !cursors.isEmpty { remember(cursors, contact, account, &batch) }
    batch.add(
      """
      INSERT INTO device_contacts (account_id, device_id, last_contact_at) VALUES ($1, $2, $3)
      ON CONFLICT (account_id, device_id) DO UPDATE SET last_contact_at = $3
      """, PostgresValue(account), PostgresValue(contact.device), PostgresValue(contact.at))
    batch.add(
      """
      WITH forgotten AS (
        DELETE FROM device_contacts WHERE account_id = $1 AND device_id IN
          (SELECT device_id FROM device_contacts WHERE account_id = $1
           ORDER BY last_contact_at DESC, device_id OFFSET $2)
        RETURNING account_id, device_id)
      DELETE FROM cursors USING forgotten
      WHERE cursors.account_id = forgotten.account_id AND cursors.device_id = forgotten.device_id
      """, PostgresValue(account), PostgresValue(contact.deviceLimit))
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
    batch.add(
      """
      DELETE FROM cursors WHERE account_id = $1 AND device_id = $2 AND sequence <=
        (SELECT sequence FROM cursors WHERE account_id = $1 AND device_id = $2 ORDER BY sequence DESC LIMIT 1 OFFSET $3)
      """, PostgresValue(account), PostgresValue(contact.device), PostgresValue(contact.cursorLimit))
  }
}
