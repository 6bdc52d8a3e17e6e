import Model
import SQLiteKit
import ServerCore

// The links of responders' pages, and what they answered there.
extension SQLiteServerTransaction {
  func keep(_ link: PageLink) throws(SQLiteError) {
    try connection.statement(
      "INSERT OR IGNORE INTO page_links (key, account_id, alert_id, contact_id) VALUES (?, ?, ?, ?)"
    ).run(.blob(link.key.bytes), SQLiteValue(link.account), SQLiteValue(link.alert), SQLiteValue(link.contact))
  }

  func pageLink(_ key: PageKey) throws(StorageError) -> PageLink? {
    try storing { () throws(SQLiteError) in
      try connection.statement("SELECT account_id, alert_id, contact_id FROM page_links WHERE key = ?")
        .row(.blob(key.bytes)) { row throws(SQLiteError) in
          PageLink(
            key: key, account: try row["account_id"], alert: try row["alert_id"], contact: try row["contact_id"])
        }
    }
  }

  func put(_ response: StoredResponse) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT INTO responses (account_id, alert_id, contact_id, answer, text, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (account_id, alert_id, contact_id) DO UPDATE SET answer = ?4, text = ?5, at = ?6
      """
    ).run(
      SQLiteValue(response.account), SQLiteValue(response.alert), SQLiteValue(response.contact),
      .text(response.answer.rawValue), SQLiteValue(response.text), SQLiteValue(response.at))
  }

  func removeResponse(_ key: AlertContact, account: AccountID) throws(SQLiteError) {
    try connection.statement(
      "DELETE FROM responses WHERE account_id = ? AND alert_id = ? AND contact_id = ?"
    )
    .run(SQLiteValue(account), SQLiteValue(key.alert), SQLiteValue(key.contact))
  }

  func responses(to alert: AlertID, account: AccountID) throws(StorageError) -> [StoredResponse] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT contact_id, answer, text, at FROM responses WHERE account_id = ? AND alert_id = ? ORDER BY contact_id"
      ).rows(SQLiteValue(account), SQLiteValue(alert)) { row throws(SQLiteError) in
        StoredResponse(
          account: account, alert: alert, contact: try row["contact_id"], answer: try row.choice("answer"),
          text: try row["text"], at: try row["at"])
      }
    }
  }

  /// What the newest further calls of an alert said, newest first.
  func words(of alert: AlertID, account: AccountID) throws(StorageError) -> [SaidWords] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT min(at, received_at) AS at, message FROM alert_updates INDEXED BY alert_updates_with_call
        WHERE account_id = ? AND alert_id = ? AND is_call = 1 AND message IS NOT NULL
        ORDER BY number DESC LIMIT ?
        """
      ).rows(SQLiteValue(account), SQLiteValue(alert), .integer(Int64(SaidWords.factLimit))) {
        row throws(SQLiteError) in
        SaidWords(at: try row["at"], message: try row["message"])
      }
    }
  }

  /// The newest places that updates of an alert told, newest first.
  func track(of alert: AlertID, account: AccountID) throws(StorageError) -> [TrackPoint] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT min(at, received_at) AS at, latitude, longitude, accuracy_m FROM alert_updates INDEXED BY alert_updates_with_place
        WHERE account_id = ? AND alert_id = ? AND latitude IS NOT NULL
        ORDER BY number DESC LIMIT ?
        """
      ).rows(SQLiteValue(account), SQLiteValue(alert), .integer(Int64(TrackPoint.limit)), row: TrackPoint.init(row:))
    }
  }
}

extension TrackPoint {
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    let (latitude, longitude): (Double, Double) = (try row["latitude"], try row["longitude"])
    self.init(
      at: try row["at"],
      location: try stored("latitude") { () throws(InvalidInput) in
        try Location(latitude: latitude, longitude: longitude)
      }, accuracyMeters: try row["accuracy_m"])
  }
}
