import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  func account(_ id: AccountID) throws(StorageError) -> AccountRecord? {
    try row("SELECT \(SQL.account) FROM accounts WHERE account_id = $1", PostgresValue(id)) {
      row throws(PostgresError) in
      try AccountRecord(row: row)
    }
  }

  func insert(_ account: AccountRecord, _ batch: inout PostgresBatch) {
    batch.add(
      "INSERT INTO account_phones (phone, account_id) VALUES ($1, $2)", .text(account.phone), PostgresValue(account.id))
    batch.add(
      "INSERT INTO accounts (account_id, phone, epoch, created_at, name) VALUES ($1, $2, $3, $4, $5)",
      PostgresValue(account.id), .text(account.phone), .text(account.epoch), PostgresValue(account.createdAt),
      PostgresValue(account.profile?.name))
    markInboxDue(ofAlertsNaming: account.phone, &batch)
  }

  func setProfile(_ profile: Profile, of account: AccountID, _ batch: inout PostgresBatch) {
    batch.add("UPDATE accounts SET name = $1 WHERE account_id = $2", .text(profile.name), PostgresValue(account))
  }

  /// Starts a new history of the account, and forgets every cursor of the old one.
  func setEpoch(_ epoch: String, of account: AccountID, _ batch: inout PostgresBatch) {
    batch.add("UPDATE accounts SET epoch = $1 WHERE account_id = $2", .text(epoch), PostgresValue(account))
    batch.add("DELETE FROM cursors WHERE account_id = $1", PostgresValue(account))
  }
}

extension AccountRecord {
  /// The columns of `SQL.account`.
  init(row: PostgresRow) throws(PostgresError) {
    self.init(
      id: try row["account_id"], phone: try row["phone"], epoch: try row["epoch"],
      createdAt: try row["account_created_at"], profile: try Profile(row: row, "name"))
  }
}

extension Profile {
  /// Nil where the column is null.
  init?(row: PostgresRow, _ column: StaticString) throws(PostgresError) {
    guard let name = try row[column, as: String?.self] else { return nil }
    self = try stored(column) { () throws(InvalidInput) in try Profile(name: name) }
  }
}
