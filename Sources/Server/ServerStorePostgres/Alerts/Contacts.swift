import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  func contact(_ id: ContactID, of account: AccountID) throws(StorageError) -> ContactDetails? {
    try row(
      "SELECT \(SQL.contact) FROM contacts WHERE account_id = $1 AND id = $2", PostgresValue(account), PostgresValue(id)
    ) { row throws(PostgresError) in try ContactDetails(row: row) }
  }

  func contacts(of account: AccountID) throws(StorageError) -> [Contact] {
    try rows("SELECT id, \(SQL.contact) FROM contacts WHERE account_id = $1 ORDER BY id", PostgresValue(account)) {
      row throws(PostgresError) in Contact(id: try row["id"], details: try ContactDetails(row: row))
    }
  }

  func put(_ contact: Contact, of account: AccountID, _ batch: inout PostgresBatch) {
    let details = contact.details
    batch.add(
      """
      INSERT INTO contacts (account_id, id, name, phone, is_responder, is_dependent, channels, tier)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (account_id, id) DO UPDATE
      SET name = $3, phone = $4, is_responder = $5, is_dependent = $6, channels = $7, tier = $8
      """, PostgresValue(account), PostgresValue(contact.id), .text(details.name), .text(details.phone),
      PostgresValue(details.isResponder), PostgresValue(details.isDependent),
      .text(details.channels.map(\.url).joined(separator: "\n")), PostgresValue(details.tier))
  }

  func set(_ tested: [TestedChannel], of contact: ContactID, _ account: AccountID, _ batch: inout PostgresBatch) {
    batch.add(
      "UPDATE contacts SET tested = $1 WHERE account_id = $2 AND id = $3", .text(tested.lines), PostgresValue(account),
      PostgresValue(contact))
  }

  func set(_ failed: [FailedChannel], of contact: ContactID, _ account: AccountID, _ batch: inout PostgresBatch) {
    batch.add(
      "UPDATE contacts SET failed = $1 WHERE account_id = $2 AND id = $3", .text(failed.lines), PostgresValue(account),
      PostgresValue(contact))
  }
}
