import Model
import SQLiteKit
import ServerCore

// How many new alerts each credential may still bring.
extension SQLiteServerTransaction {
  func alertBucketFull(
    account: AccountID, session: SessionID, isOfAlertKey: Bool
  ) throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT full_at FROM alert_buckets WHERE account_id = ? AND session_id = ? AND is_of_alert_key = ?"
      ).value(SQLiteValue(account), SQLiteValue(session), SQLiteValue(isOfAlertKey))
    }
  }

  func set(_ bucket: WriteSet.AlertBucket, of account: AccountID) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT INTO alert_buckets (account_id, session_id, is_of_alert_key, full_at) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (account_id, session_id, is_of_alert_key) DO UPDATE SET full_at = ?4
      """
    ).run(
      SQLiteValue(account), SQLiteValue(bucket.session), SQLiteValue(bucket.isOfAlertKey), SQLiteValue(bucket.fullAt))
  }

  func removeAlertBuckets(fullBefore time: Timestamp, limit: Int) throws(SQLiteError) -> Int {
    try connection.statement(
      """
      DELETE FROM alert_buckets WHERE (account_id, session_id, is_of_alert_key) IN
        (SELECT account_id, session_id, is_of_alert_key FROM alert_buckets WHERE full_at < ? LIMIT ?)
      """
    ).run(SQLiteValue(time), .integer(Int64(limit)))
    return connection.changedRows
  }
}
