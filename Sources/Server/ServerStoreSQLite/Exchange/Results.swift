import Model
import SQLiteKit
import ServerCore

// The first result of each mutation and notification request.
extension SQLiteServerTransaction {
  func result(of id: MutationID, account: AccountID) throws(StorageError) -> RecordedResult? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT fingerprint, applied_at, code, message FROM mutations WHERE account_id = ? AND id = ?"
      ).row(SQLiteValue(account), SQLiteValue(id)) { row in
        let verdict: RecordedResult.Verdict =
          if let appliedAt = try row["applied_at", as: Timestamp?.self] {
            .applied(at: appliedAt)
          } else {
            .rejected(code: try row["code"], message: try row["message"])
          }
        return RecordedResult(fingerprint: UInt64(bitPattern: try row["fingerprint"]), verdict: verdict)
      }
    }
  }

  func insertResult(
    _ result: RecordedResult, of id: MutationID, account: AccountID
  ) throws(SQLiteError) {
    var values: (appliedAt: Timestamp?, code: String?, message: String?)
    switch result.verdict {
    case .applied(let time): values = (time, nil, nil)
    case .rejected(let code, let message): values = (nil, code, message)
    }
    try connection.statement(
      """
      INSERT INTO mutations (account_id, id, fingerprint, applied_at, code, message) VALUES (?, ?, ?, ?, ?, ?)
      """
    ).run(
      SQLiteValue(account), SQLiteValue(id), .integer(Int64(bitPattern: result.fingerprint)),
      SQLiteValue(values.appliedAt), SQLiteValue(values.code), SQLiteValue(values.message))
  }

}
