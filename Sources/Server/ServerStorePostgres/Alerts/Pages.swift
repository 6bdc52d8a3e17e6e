import Model
import PostgresKit
import ServerCore

// The links and codes that lead responders to an alert, and what they answered.
extension PostgresTransaction {
  func keep(_ links: [PageLink], _ batch: inout PostgresBatch) {
    keep(links.map { ($0.key.bytes, $0.account, $0.alert, $0.contact) }, in: "page_links", &batch)
  }

  func keep(_ links: [AnswerLink], _ batch: inout PostgresBatch) {
    keep(links.map { ($0.key.bytes, $0.account, $0.alert, $0.contact) }, in: "answer_codes", &batch)
  }

  private func keep(
    _ links: [(key: [UInt8], account: AccountID, alert: AlertID, contact: ContactID)], in table: String,
    _ batch: inout PostgresBatch
  ) {
    guard !links.isEmpty else { return }
    batch.add(
      """
      INSERT INTO \(table) (key, account_id, alert_id, contact_id)
      SELECT key, account_id, alert_id, contact_id FROM unnest($1::bytea[], $2::uuid[], $3::uuid[], $4::uuid[])
        AS given (key, account_id, alert_id, contact_id)
      ON CONFLICT DO NOTHING
      """, PostgresValue(.bytes, of: links) { .bytes($0.key) }, PostgresValue(links.map(\.account)),
      PostgresValue(links.map(\.alert)), PostgresValue(links.map(\.contact)))
  }

  func addPageLink(_ key: PageKey, _ batch: inout PostgresBatch, take: @escaping (PageLink?) -> Void) {
    batch.add("SELECT account_id, alert_id, contact_id FROM page_links WHERE key = $1", .bytes(key.bytes)) {
      rows throws(PostgresError) in
      take(
        try rows.first { row throws(PostgresError) in
          PageLink(
            key: key, account: try row["account_id"], alert: try row["alert_id"], contact: try row["contact_id"])
        })
    }
  }

  func addAnswerLinks(_ key: AnswerKey, _ batch: inout PostgresBatch, take: @escaping ([AnswerLink]) -> Void) {
    batch.add(
      "SELECT account_id, alert_id, contact_id FROM answer_codes WHERE key = $1 ORDER BY account_id, alert_id, contact_id",
      .bytes(key.bytes)
    ) { rows throws(PostgresError) in
      take(
        try rows.map { row throws(PostgresError) in
          AnswerLink(
            key: key, account: try row["account_id"], alert: try row["alert_id"], contact: try row["contact_id"])
        })
    }
  }

  func put(_ response: StoredResponse, _ batch: inout PostgresBatch) {
    batch.add(
      """
      INSERT INTO responses (account_id, alert_id, contact_id, answer, text, at) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (account_id, alert_id, contact_id) DO UPDATE SET answer = $4, text = $5, at = $6
      """, PostgresValue(response.account), PostgresValue(response.alert), PostgresValue(response.contact),
      .text(response.answer.rawValue), PostgresValue(response.text), PostgresValue(response.at))
  }

  func removeResponses(_ keys: Set<AlertContact>, account: AccountID, _ batch: inout PostgresBatch) {
    guard !keys.isEmpty else { return }
    batch.add(
      """
      DELETE FROM responses USING unnest($2::uuid[], $3::uuid[]) AS removed (alert_id, contact_id)
      WHERE responses.account_id = $1 AND responses.alert_id = removed.alert_id
        AND responses.contact_id = removed.contact_id
      """, PostgresValue(account), PostgresValue(keys.map(\.alert)), PostgresValue(keys.map(\.contact)))
  }
}

extension StoredResponse {
  /// The columns of `responses`.
  init(row: PostgresRow) throws(PostgresError) {
    self.init(
      account: try row["account_id"], alert: try row["alert_id"], contact: try row["contact_id"],
      answer: try row.choice("answer"), text: try row["text"], at: try row["at"])
  }
}
