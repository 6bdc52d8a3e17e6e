import Glibc
package import PostgresKit
package import ServerCore

/// Fills an empty database with all that a store of another kind has, in one transaction.
package final class PostgresFilling {
  /// The tables in the order in which they are filled: what others refer to comes first, and counts come after what the database counts itself.
  /// Those that processes use among themselves are left as they are.
  private static let order = [
    "server_state", "verifications", "code_messages", "rate_counts", "blocked_phones", "accounts", "sessions", "tokens",
    "account_logs", "alerts", "alert_updates", "contacts", "deliveries", "responses", "changes", "cursors", "mutations",
    "alert_buckets", "device_contacts", "page_links", "answer_codes", "inbox", "inbox_due", "inbox_posts",
    "kept_counts",
  ]
  /// What stands in another table here.
  private static let names = ["alert_buckets": "alert_levels", "device_contacts": "last_contacts"]
  /// What a server that has served nobody leaves.
  private static let ofServers = ["server_state", "rate_counts"]

  private let connection: PostgresConnection
  /// How many rows each table was given.
  package private(set) var counts: [String: Int] = [:]

  private init(_ connection: PostgresConnection) { self.connection = connection }

  /// Brings the tables up to date, and calls `body` to fill them. Nothing is kept where this throws, but where the connection is lost during
  /// the commit, which the error says.
  package static func fill(
    _ settings: PostgresSettings, _ body: (PostgresFilling) throws -> Void
  ) throws(StorageError) {
    // Also checks the rights.
    try PostgresServerStore.open(settings).close()
    do {
      var patient = settings.patient
      // The rows come from a disk that may be slow, and no process waits for the transaction.
      patient.idleMilliseconds = 0
      let connection = try PostgresConnection(patient)
      defer { connection.close() }
      let dead = try deadProcesses(connection)
      let filling = PostgresFilling(connection)
      try filling.run("BEGIN")
      try filling.run("SELECT id FROM writer WHERE id = 1 FOR UPDATE")
      // A process that has begun meanwhile holds the keys of the database as it was.
      guard try beats(connection) == dead else { throw isUsed }
      try filling.run("DELETE FROM processes")
      try filling.requireEmpty()
      try body(filling)
      // No row has a later number.
      try filling.run("UPDATE writer SET version = version + 1 WHERE id = 1")
      try filling.commit()
      // Only an owner may; otherwise it is done by PostgreSQL within minutes.
      try? connection.execute(script: "ANALYZE")
    } catch {
      throw StorageError(any: error)
    }
  }

  private func commit() throws {
    do {
      try run("COMMIT")
    } catch let error as PostgresError where error.kind == .connectionLost || error.kind == .timedOut {
      throw StorageError(
        .unreachable,
        "whether everything is in the new database is not known (\(error.message)): run the command again. If it says then that the "
          + "database holds something already, all is there: move the file away, so that no server goes on with it, and start the "
          + "server with the new database")
    }
  }

  /// Those of the tables that are given, in the order in which they have to come. Throws where one is not known here.
  package func ordered<Table>(_ tables: [Table], name: (Table) -> String) throws(StorageError) -> [Table] {
    if let unknown = tables.first(where: { !Self.order.contains(name($0)) }) {
      throw StorageError(.internalError, "the table \(name(unknown)) has no place in PostgreSQL")
    }
    return Self.order.flatMap { known in tables.filter { name($0) == known } }
  }

  /// - Parameter rows: JSON objects with values for these columns.
  package func add(_ rows: [String], to table: String, columns: [String]) throws(StorageError) {
    do {
      let json = PostgresValue.text("[\(rows.joined(separator: ","))]")
      let count = try insert(json, table, columns.joined(separator: ", "))
      guard table == "kept_counts" || count == rows.count else {
        throw StorageError(.internalError, "\(count) of \(rows.count) rows of \(table) were taken")
      }
      counts[table, default: 0] += count
    } catch {
      throw StorageError(any: error)
    }
  }

  private func insert(_ rows: PostgresValue, _ table: String, _ columns: String) throws -> Int {
    let given = "jsonb_populate_recordset(NULL::\(Self.names[table] ?? table), $1::text::jsonb) AS given"
    switch table {
    case "deliveries":
      return try run("INSERT INTO deliveries (\(columns), changed) SELECT \(columns), 1 FROM \(given)", rows)
    case "accounts":
      try run("INSERT INTO account_phones (phone, account_id) SELECT phone, account_id FROM \(given)", rows)
    case "kept_counts":
      // Without those that are there: the database has counted them.
      return try run(
        """
        INSERT INTO kept_counts (name, slot, count)
        SELECT 'alerts', 0, given.count - here.count
        FROM \(given) CROSS JOIN (SELECT count(*) AS count FROM alerts) AS here
        WHERE given.name = 'alerts' AND given.count > here.count
        """, rows)
    default: break
    }
    return try run("INSERT INTO \(Self.names[table] ?? table) (\(columns)) SELECT \(columns) FROM \(given)", rows)
  }

  private func requireEmpty() throws {
    for table in Self.ofServers { try run("DELETE FROM \(table)") }
    for table in Self.order where table != "kept_counts" {
      let name = Self.names[table] ?? table
      guard try run("SELECT true FROM \(name) LIMIT 1") == 0 else {
        throw StorageError(.cannotOpen, "the database holds something already, in \(name): make an empty one")
      }
    }
  }

  private static let isUsed = StorageError(.busy, "a server runs on that database: stop it first")

  /// The counts of processes that are gone. Throws where a server runs on the database: one counts on at least every five seconds.
  private static func deadProcesses(_ connection: PostgresConnection) throws -> [ProcessID: Int64] {
    let before = try beats(connection)
    guard !before.isEmpty else { return before }
    poll(nil, 0, Int32(Peers.silenceMilliseconds / 2))
    guard try beats(connection) == before else { throw isUsed }
    return before
  }

  private static func beats(_ connection: PostgresConnection) throws -> [ProcessID: Int64] {
    var beats: [ProcessID: Int64] = [:]
    var batch = PostgresBatch()
    batch.add("SELECT id, beat FROM processes") { rows throws(PostgresError) in
      for index in 0..<rows.count { beats[try rows[index]["id"]] = try rows[index]["beat"] }
    }
    try connection.run(batch)
    return beats
  }

  /// How many rows the statement changed or gave.
  @discardableResult
  private func run(_ statement: String, _ parameters: PostgresValue...) throws -> Int {
    var count = 0
    var batch = PostgresBatch()
    batch.add(statement, parameters) { count = $0.affectedCount }
    try connection.run(batch)
    return count
  }
}
