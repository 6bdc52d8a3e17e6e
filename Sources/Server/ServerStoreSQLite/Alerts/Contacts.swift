package import Model
import SQLiteKit
package import ServerCore

extension SQLiteServerTransaction {
  package func contact(_ id: ContactID, of account: AccountID) throws(StorageError) -> ContactDetails? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT name, phone, is_responder, is_dependent, channels, tier FROM contacts WHERE account_id = ? AND id = ?"
      ).row(SQLiteValue(account), SQLiteValue(id), row: ContactDetails.init(row:))
    }
  }

  /// The tested and the failed channels of those contacts that have some.
  func addChannelResults(of account: AccountID, to facts: inout AccountFacts) throws(StorageError) {
    let rows = try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT id, tested, failed FROM contacts WHERE account_id = ? AND (tested <> '' OR failed <> '')"
      ).rows(SQLiteValue(account)) { row in
        (
          id: try row["id", as: ContactID.self], tested: [TestedChannel](lines: try row["tested"]),
          failed: [FailedChannel](lines: try row["failed"])
        )
      }
    }
    for row in rows {
      facts.tested[row.id] = row.tested.isEmpty ? nil : row.tested
      facts.failed[row.id] = row.failed.isEmpty ? nil : row.failed
    }
  }

  /// Of one contact.
  func channelResults(
    of contact: ContactID, _ account: AccountID
  ) throws(StorageError) -> (tested: [TestedChannel], failed: [FailedChannel]) {
    try storing { () throws(SQLiteError) in
      try connection.statement("SELECT tested, failed FROM contacts WHERE account_id = ? AND id = ?")
        .row(SQLiteValue(account), SQLiteValue(contact)) { row throws(SQLiteError) in
          (
            tested: [TestedChannel](lines: try row["tested"]), failed: [FailedChannel](lines: try row["failed"])
          )
        } ?? ([], [])
    }
  }

  func setTested(_ tested: [TestedChannel], of contact: ContactID, _ account: AccountID) throws(SQLiteError) {
    try connection.statement("UPDATE contacts SET tested = ? WHERE account_id = ? AND id = ?")
      .run(.text(tested.lines), SQLiteValue(account), SQLiteValue(contact))
  }

  func setFailed(_ failed: [FailedChannel], of contact: ContactID, _ account: AccountID) throws(SQLiteError) {
    try connection.statement("UPDATE contacts SET failed = ? WHERE account_id = ? AND id = ?")
      .run(.text(failed.lines), SQLiteValue(account), SQLiteValue(contact))
  }

  package func contacts(of account: AccountID) throws(StorageError) -> [Contact] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, name, phone, is_responder, is_dependent, channels, tier FROM contacts WHERE account_id = ? ORDER BY id
        """
      ).rows(SQLiteValue(account)) { row in
        Contact(id: try row["id"], details: try ContactDetails(row: row))
      }
    }
  }

  func putContact(_ contact: Contact, of account: AccountID) throws(SQLiteError) {
    let details = contact.details
    try connection.statement(
      """
      INSERT INTO contacts (account_id, id, name, phone, is_responder, is_dependent, channels, tier)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (account_id, id) DO UPDATE
      SET name = ?3, phone = ?4, is_responder = ?5, is_dependent = ?6, channels = ?7, tier = ?8
      """
    ).run(
      SQLiteValue(account), SQLiteValue(contact.id), .text(details.name), .text(details.phone),
      SQLiteValue(details.isResponder), SQLiteValue(details.isDependent),
      .text(details.channels.map(\.url).joined(separator: "\n")), .integer(Int64(details.tier)))
  }

  func removeContact(_ id: ContactID, of account: AccountID) throws(SQLiteError) {
    try connection.statement("DELETE FROM contacts WHERE account_id = ? AND id = ?")
      .run(SQLiteValue(account), SQLiteValue(id))
  }
}
