import PostgresKit
import Schema
import ServerCore

/// Brings a database's tables to the newest schema: numbered steps, each in one transaction and recorded with its checksum.
///
/// Processes that start together wait for one another at the table of steps. A step only ever adds: the program of the version before goes
/// on with the tables meanwhile.
struct PostgresMigrator {
  private struct Step {
    let name: String
    let sql: String
    let checksum: String

    init(_ name: String, _ text: String, _ change: (String) -> String) {
      self.name = name
      sql = change(text)
      checksum = Self.checksum(of: text)
    }

    /// FNV-1a (64 bits), as 16 hexadecimal digits. Detects accidental changes only.
    private static func checksum(of text: String) -> String {
      var hash: UInt64 = 0xcbf2_9ce4_8422_2325
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
  }

  private let steps: [Step]

  /// The migrations that are compiled into the program: `file` gives each by its index, and a file without a name after the last.
  ///
  /// - Parameter change: what is done to each before it is applied; its checksum stays.
  init(embedded file: (Int32) -> lifesignal_schema_file, change: (String) -> String = { $0 }) {
    var steps: [Step] = []
    while case let next = file(Int32(steps.count)), let name = next.name {
      let text = UnsafeRawBufferPointer(start: next.bytes, count: Int(next.length))
      steps.append(Step(String(cString: name), String(decoding: text, as: UTF8.self), change))
    }
    self.steps = steps
  }

  /// Throws before it changes anything where the database was migrated by a newer program.
  func migrate(_ connection: PostgresConnection) throws {
    // A user without the right to create tables may run on a database that another user has migrated.
    if try applied(connection).count == steps.count { return }
    try makeOwnTable(connection)
    while try applyNext(connection) {}
  }

  private func makeOwnTable(_ connection: PostgresConnection) throws(PostgresError) {
    do throws(PostgresError) {
      try connection.execute(
        script: """
          CREATE TABLE IF NOT EXISTS schema_migrations (
            version bigint PRIMARY KEY, name text NOT NULL UNIQUE, checksum text NOT NULL)
          """)
    } catch let error where error.kind == .duplicate {
      // Another process made it at the same moment.
    }
  }

  /// The checksums of the steps that were applied, which are checked.
  private func applied(_ connection: PostgresConnection) throws -> [String] {
    var isThere = false
    var question = PostgresBatch()
    question.add("SELECT to_regclass('schema_migrations') IS NOT NULL") { rows throws(PostgresError) in
      isThere = try rows.value() ?? false
    }
    try connection.run(question)
    guard isThere else { return [] }
    var checksums: [String] = []
    var list = PostgresBatch()
    list.add("SELECT checksum FROM schema_migrations ORDER BY version") { rows throws(PostgresError) in
      checksums = try rows.map { row throws(PostgresError) in try row["checksum"] }
    }
    try connection.run(list)
    guard checksums.count <= steps.count else {
      throw StorageError(
        .newerSchema,
        "the store has \(checksums.count) migrations and this program knows \(steps.count): use a newer one")
    }
    for (step, checksum) in zip(steps, checksums) where step.checksum != checksum {
      throw StorageError(.newerSchema, "the store's migration \(step.name) is not the one that this program knows")
    }
    return checksums
  }

  /// Applies one missing step; false if there is none.
  private func applyNext(_ connection: PostgresConnection) throws -> Bool {
    do {
      try connection.execute(script: "BEGIN; LOCK TABLE schema_migrations IN EXCLUSIVE MODE")
      let count = try applied(connection).count
      guard count < steps.count else {
        try connection.execute(script: "COMMIT")
        return false
      }
      try connection.execute(script: steps[count].sql)
      var note = PostgresBatch()
      note.add(
        "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)", PostgresValue(count + 1),
        .text(steps[count].name), .text(steps[count].checksum))
      try connection.run(note)
      try connection.execute(script: "COMMIT")
      return true
    } catch {
      if connection.isOpen { try? connection.execute(script: "ROLLBACK") }
      throw error
    }
  }
}
