import Model
import SQLiteKit
import ServerCore

// Cursors and contacts of devices.
extension SQLiteServerTransaction {
  func rememberCursor(
    _ cursor: CursorClaim, device: DeviceID, account: AccountID, keeping count: Int
  ) throws(SQLiteError) {
    try connection.statement(
      "INSERT OR IGNORE INTO cursors (account_id, device_id, sequence, tag) VALUES (?, ?, ?, ?)"
    ).run(
      SQLiteValue(account), SQLiteValue(device), .integer(cursor.sequence), .integer(Int64(bitPattern: cursor.tag)))
    guard connection.changedRows > 0 else { return }
    try connection.statement(
      """
      DELETE FROM cursors WHERE account_id = ?1 AND device_id = ?2 AND sequence <=
        (SELECT sequence FROM cursors WHERE account_id = ?1 AND device_id = ?2 ORDER BY sequence DESC LIMIT 1 OFFSET ?3)
      """
    ).run(SQLiteValue(account), SQLiteValue(device), .integer(Int64(count)))
  }

  func isCursorRemembered(sequence: Int64, tag: UInt64, account: AccountID) throws(StorageError) -> Bool {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT EXISTS (SELECT 1 FROM cursors WHERE account_id = ? AND sequence = ? AND tag = ?)"
      ).value(SQLiteValue(account), .integer(sequence), .integer(Int64(bitPattern: tag))) ?? false
    }
  }

  func noteContact(_ contact: WriteSet.DeviceContact, account: AccountID) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT INTO device_contacts (account_id, device_id, last_contact_at) VALUES (?1, ?2, ?3)
      ON CONFLICT (account_id, device_id) DO UPDATE SET last_contact_at = ?3
      """
    ).run(SQLiteValue(account), SQLiteValue(contact.device), SQLiteValue(contact.at))
    try connection.statement(
      """
      DELETE FROM device_contacts WHERE account_id = ?1 AND device_id IN
        (SELECT device_id FROM device_contacts WHERE account_id = ?1
         ORDER BY last_contact_at DESC, device_id LIMIT -1 OFFSET ?2)
      """
    ).run(SQLiteValue(account), .integer(Int64(contact.deviceLimit)))
    guard connection.changedRows > 0 else { return }
    try connection.statement(
      """
      DELETE FROM cursors WHERE account_id = ?1 AND device_id NOT IN
        (SELECT device_id FROM device_contacts WHERE account_id = ?1)
      """
    ).run(SQLiteValue(account))
  }

  func lastContact(device: DeviceID, account: AccountID) throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT last_contact_at FROM device_contacts WHERE account_id = ? AND device_id = ?"
      ).value(SQLiteValue(account), SQLiteValue(device))
    }
  }
}
