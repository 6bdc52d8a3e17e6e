import Glibc
import PostgresKit
import ServerCore
import SystemKit

/// Brings a database's tables to the newest schema: numbered steps, each in one transaction and recorded with its checksum.
///
/// Processes that start together wait for one another at the table of steps. Other programs go on with the tables meanwhile: a step that
/// waits for one of their transactions keeps the next ones waiting, so it waits for two seconds, lets them through, and tries again.
struct PostgresMigrator {
  /// A database's steps that were applied.
  private struct Applied {
    var checksums: [String] = []
    /// How many steps a program has to know to use the tables.
    var oldestProgram = 0
  }

  /// Longer than PostgreSQL waits, by default, before it ends a vacuum of its own that is in the way.
  private static let lockMilliseconds = 2_000
  /// How long it tries to come between the transactions of other programs.
  private static let tryMilliseconds = 60_000
  private static let pauseMilliseconds: Int32 = 500

  private let steps: [PostgresMigration]

  init(_ steps: [PostgresMigration]) { self.steps = steps }

  /// What `migrate` would do. Throws where a newer program has made the tables unusable for this one, or other steps were applied.
  ///
  /// A user without the right to create tables may run on a database that another user has migrated.
  func update(_ connection: PostgresConnection) throws -> SchemaUpdate {
    SchemaUpdate(from: try applied(connection).checksums.count, to: steps.count)
  }

  /// Applies what is missing. Throws before it changes anything where `update` does.
  ///
  /// - Parameter connection: of a session whose statements may take as long as they need.
  func migrate(_ connection: PostgresConnection) throws {
    if try update(connection) == .none { return }
    try makeOwnTable(connection)
    var end = Deadline(millisecondsFromNow: Self.tryMilliseconds)
    while true {
      do {
        guard try applyNext(connection) else { return }
        end = Deadline(millisecondsFromNow: Self.tryMilliseconds)
      } catch let error as PostgresError where error.kind == .conflict && end.remainingMilliseconds > 0 {
        poll(nil, 0, Self.pauseMilliseconds)
      }
    }
  }

  private func makeOwnTable(_ connection: PostgresConnection) throws(PostgresError) {
    do throws(PostgresError) {
      try connection.execute(
        script: """
          CREATE TABLE IF NOT EXISTS schema_migrations (
            version bigint PRIMARY KEY, name text NOT NULL UNIQUE, checksum text NOT NULL);
          ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS oldest_program bigint NOT NULL DEFAULT 1;
          """)
    } catch let error where error.kind == .duplicate {
      // Another process made it at the same moment.
    }
  }

  private func applied(_ connection: PostgresConnection) throws -> Applied {
    var columns: Int64 = 0
    var question = PostgresBatch()
    // A table of the first version, without the column, has the first step alone, which any program may use.
    question.add(
      """
      SELECT count(*) FROM pg_attribute
      WHERE attrelid = to_regclass('schema_migrations') AND attname IN ('checksum', 'oldest_program') AND NOT attisdropped
      """
    ) { rows throws(PostgresError) in columns = try rows.value() ?? 0 }
    try connection.run(question)
    guard columns > 0 else { return Applied() }
    let oldest = columns == 2 ? "oldest_program" : "1::bigint AS oldest_program"
    var applied = Applied()
    var list = PostgresBatch()
    list.add("SELECT checksum, \(oldest) FROM schema_migrations ORDER BY version") { rows throws(PostgresError) in
      applied.checksums = try rows.map { row throws(PostgresError) in try row["checksum"] }
      let oldest = try rows.map { row throws(PostgresError) in try row["oldest_program", as: Int64.self] }
      applied.oldestProgram = Int(oldest.max() ?? 0)
    }
    try connection.run(list)
    try check(applied)
    return applied
  }

  private func check(_ applied: Applied) throws(StorageError) {
    guard applied.oldestProgram <= steps.count else {
      throw StorageError(
        .newerSchema,
        "the database has \(applied.checksums.count) migrations, and programs that know fewer than "
          + "\(applied.oldestProgram) may not use it; this one knows \(steps.count): use a newer one")
    }
    for (step, checksum) in zip(steps, applied.checksums) where step.checksum != checksum {
      throw StorageError(.newerSchema, "the database's migration \(step.name) is not the one that this program knows")
    }
  }

  /// Applies one missing step; false if there is none.
  private func applyNext(_ connection: PostgresConnection) throws -> Bool {
    do {
      try connection.execute(
        script: """
          BEGIN;
          SET LOCAL lock_timeout = \(Self.lockMilliseconds);
          LOCK TABLE schema_migrations IN EXCLUSIVE MODE
          """)
      let applied = try applied(connection)
      guard applied.checksums.count < steps.count else {
        try connection.execute(script: "COMMIT")
        return false
      }
      try apply(steps[applied.checksums.count], after: applied, connection)
      return true
    } catch {
      if connection.isOpen { try? connection.execute(script: "ROLLBACK") }
      throw error
    }
  }

  private func apply(
    _ step: PostgresMigration, after applied: Applied, _ connection: PostgresConnection
  ) throws(PostgresError) {
    let number = applied.checksums.count + 1
    try connection.execute(script: step.sql)
    var note = PostgresBatch()
    note.add(
      "INSERT INTO schema_migrations (version, name, checksum, oldest_program) VALUES ($1, $2, $3, $4)",
      PostgresValue(number), .text(step.name), .text(step.checksum),
      // The first one has nothing before it.
      PostgresValue(max(step.oldestProgram ?? 1, applied.oldestProgram)))
    try connection.run(note)
    try connection.execute(script: "COMMIT")
  }
}
