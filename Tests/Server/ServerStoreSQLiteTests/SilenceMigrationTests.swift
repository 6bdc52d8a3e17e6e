import ChildPrograms
import SQLiteKit
import Schema
import Testing

@Suite(.computing) struct `The migration to silences` {
  @Test func `has the devices of active alerts that stand in an inbox checked, and no others`() throws {
    let connection = try Connection(path: Connection.inMemory)
    let migrator = Migrator(embedded: lifesignal_schema_server_migration)
    try Migrator(migrator.migrations.filter { $0.name < "m0018" }).migrate(connection)
    let (account, inbox) = ("0000000a-0000-7000-8000-000000000001", "0000000a-0000-7000-8000-000000000002")
    let alerts = (1...3).map { "0000000b-0000-7000-8000-00000000000\($0)" }
    for (place, alert) in alerts.enumerated() {
      let end = place == 1 ? "7, 7" : "NULL, NULL"
      try connection.execute(
        """
        INSERT INTO alerts (account_id, id, ordinal, device_id, started_at, drill, received_at, ended_at, end_received_at)
          VALUES ('\(account)', '\(alert)', \(place + 1), '0000000c-0000-7000-8000-000000000001', 0, 0, 0, \(end));
        """)
      guard place < 2 else { continue }
      try connection.execute(
        """
        INSERT INTO inbox_posts (account_id, alert_id, inbox_account_id) VALUES ('\(account)', '\(alert)', '\(inbox)');
        """)
    }
    try migrator.migrate(connection)
    let checked = try connection.statement("SELECT id FROM alerts WHERE silence_due_at IS NOT NULL")
      .rows { row in try row["id", as: String.self] }
    #expect(checked == [alerts[0]])
  }
}
