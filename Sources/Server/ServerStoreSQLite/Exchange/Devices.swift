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
    // One is as a rule: it is removed by its key, for a range SQLite would keep a list of keys.
    let superseded: [Int64] = try connection.statement(
      "SELECT sequence FROM cursors WHERE account_id = ? AND device_id = ? ORDER BY sequence DESC LIMIT -1 OFFSET ?"
    ).rows(SQLiteValue(account), SQLiteValue(device), .integer(Int64(count))) { row in try row["sequence"] }
    for sequence in superseded {
      try connection.statement("DELETE FROM cursors WHERE account_id = ? AND device_id = ? AND sequence = ?")
        .run(SQLiteValue(account), SQLiteValue(device), .integer(sequence))
    }
  }

  func isCursorRemembered(sequence: Int64, tag: UInt64, account: AccountID) throws(StorageError) -> Bool {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT EXISTS (SELECT 1 FROM cursors WHERE account_id = ? AND sequence = ? AND tag = ?)"
      ).value(SQLiteValue(account), .integer(sequence), .integer(Int64(bitPattern: tag))) ?? false
    }
  }

  func noteContact(_ contact: WriteSet.DeviceContact, account: AccountID) throws(SQLiteError) {
    try connection.statement("UPDATE device_contacts SET last_contact_at = ? WHERE account_id = ? AND device_id = ?")
      .run(SQLiteValue(contact.at), SQLiteValue(account), SQLiteValue(contact.device))
    // Only a further device can be one too many.
    guard connection.changedRows == 0 else { return }
    try connection.statement("INSERT INTO device_contacts (account_id, device_id, last_contact_at) VALUES (?, ?, ?)")
      .run(SQLiteValue(account), SQLiteValue(contact.device), SQLiteValue(contact.at))
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
