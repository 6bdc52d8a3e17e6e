import Model
import SQLiteKit
import ServerCore

/// The columns `account_id` and `alert_id` as they are stored: an alert whose ids cannot be read must not hold up the others.
struct AccountAlertRow {
  let account: String
  let id: String

  init(row: borrowing Row) throws(SQLiteError) {
    account = try row["account_id"]
    id = try row["alert_id"]
  }

  /// Nil where an id cannot be read.
  var alert: AccountAlert? {
    guard let account = AccountID(account), let alert = AlertID(id) else { return nil }
    return AccountAlert(account: account, alert: alert)
  }
}
