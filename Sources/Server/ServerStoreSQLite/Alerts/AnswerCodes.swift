import Model
import SQLiteKit
import ServerCore

// The codes with which responders answer by text message.
extension SQLiteServerTransaction {
  func keep(_ link: AnswerLink) throws(SQLiteError) {
    try connection.statement(
      "INSERT OR IGNORE INTO answer_codes (key, account_id, alert_id, contact_id) VALUES (?, ?, ?, ?)"
    ).run(.blob(link.key.bytes), SQLiteValue(link.account), SQLiteValue(link.alert), SQLiteValue(link.contact))
  }

  func answerLinks(_ key: AnswerKey) throws(StorageError) -> [AnswerLink] {
    try storing { () throws(SQLiteError) in
      try connection.statement("SELECT account_id, alert_id, contact_id FROM answer_codes WHERE key = ?")
        .rows(.blob(key.bytes)) { row throws(SQLiteError) in
          AnswerLink(
            key: key, account: try row["account_id"], alert: try row["alert_id"], contact: try row["contact_id"])
        }
    }
  }
}
