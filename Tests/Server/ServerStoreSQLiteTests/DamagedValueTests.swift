import Model
import ServerCore
import ServerStoreSQLite
import Testing

@Suite struct `A damaged value` {
  private static let account = "0000000a-0000-7000-8000-000000000001"
  private static let fill = """
    INSERT INTO accounts (id, phone, epoch, created_at) VALUES ('\(account)', '+12025550111', 'a', 0);
    INSERT INTO alerts (account_id, id, ordinal, device_id, started_at, drill, received_at)
      VALUES ('\(account)', '0000000b-0000-7000-8000-000000000001', 1, '0000000c-0000-7000-8000-000000000001', 0, 0, 0);
    INSERT INTO contacts (account_id, id, name, phone, is_responder, is_dependent, channels)
      VALUES ('\(account)', '0000000d-0000-7000-8000-000000000001', 'Ana', '+12025550112', 1, 0, 'https://a.example/');
    INSERT INTO deliveries (id, account_id, alert_id, contact_id, contact_name, notice, channel_kind, channel_url, host,
        state, state_at, told_end, created_at, attempts, refusals, is_leased, is_dropped)
      VALUES ('0000000e-0000-7000-8000-000000000001', '\(account)', '0000000b-0000-7000-8000-000000000001',
        '0000000d-0000-7000-8000-000000000001', 'Ana', 'activated', 'webhook', 'https://a.example/', 'a.example', 'sent',
        0, 0, 0, 1, 0, 0, 0);
    """

  private func read(_ transaction: any ServerTransaction) throws {
    let account = try #require(AccountID(Self.account))
    _ = try transaction.contacts(of: account)
    for alert in try transaction.alerts(of: account, activeOnly: false, before: nil, limit: 10) {
      _ = try transaction.deliveries(of: alert.id, account: account)
    }
  }

  @Test(arguments: [
    "alerts SET id = upper(id)", "alerts SET device_id = replace(device_id, '-', '+')",
    "alerts SET latitude = 4000, longitude = 0", "contacts SET phone = 'Ana'", "contacts SET channels = 'htt'",
    "deliveries SET notice = 'none'", "deliveries SET state = 'none'", "deliveries SET priority = 77",
    "deliveries SET channel_url = 'htt'",
  ]) func `is reported as damage by the read that finds it`(change: String) throws {
    let subject = try EmbeddedStore()
    try subject.file.write { transaction in
      try #require(transaction as? SQLiteServerTransaction).connection.execute(Self.fill)
      try read(transaction)
      try #require(transaction as? SQLiteServerTransaction).connection.execute(
        "PRAGMA ignore_check_constraints = ON; UPDATE \(change); PRAGMA ignore_check_constraints = OFF;")
      let error = #expect(throws: StorageError.self) { try read(transaction) }
      #expect(error?.code == .damaged)
    }
  }
}
