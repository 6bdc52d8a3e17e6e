import Glibc
import SQLiteKit
import Testing

@Suite struct `A connection` {
  let folder: TemporaryFolder
  let connection: Connection

  init() throws {
    folder = TemporaryFolder()
    connection = try folder.connect()
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a ANY, b TEXT UNIQUE) STRICT")
  }

  @Test func `returns every type of value as it was bound`() throws {
    let values: [SQLiteValue] = [
      .null, .integer(.min), .integer(.max), .real(-0.5), .text(""), .text("Zürich \u{1F6A8}\u{0}after"), .blob([]),
      .blob([0, 255]),
    ]
    for value in values {
      try connection.statement("DELETE FROM t").run()
      try connection.statement("INSERT INTO t (a) VALUES (?)").run(value)
      let read = try connection.statement("SELECT a FROM t").row { row in row.values }
      #expect(read == [value])
    }
  }

  @Test func `refuses the wrong number of values`() throws {
    let statement = try connection.statement("SELECT ?, ?")
    #expect(throws: SQLiteError.self) { try statement.run(.null) }
  }

  @Test func `uses a prepared statement again after a failure`() throws {
    func insert(_ text: String) throws {
      try connection.statement("INSERT INTO t (b) VALUES (?)").run(.text(text))
    }
    try insert("one")
    #expect(throws: SQLiteError.self) { try insert("one") }
    try insert("two")
    #expect(try connection.statement("SELECT count(*) FROM t").value() == 2)
  }

  @Test func `never puts a bound value into an error`() throws {
    try connection.statement("INSERT INTO t (b) VALUES (?)").run(.text("+12025550123"))
    let error = #expect(throws: SQLiteError.self) {
      try connection.statement("INSERT INTO t (b) VALUES (?)").run(.text("+12025550123"))
    }
    #expect(error?.isConstraint == true)
    #expect(error?.message.contains("2025550123") == false)
  }

  @Test func `rolls back a transaction that fails`() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try connection.write {
        try connection.statement("INSERT INTO t (a) VALUES (1)").run()
        throw Stop()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try connection.statement("SELECT count(*) FROM t").value() == 0)
  }

  @Test func `leaves the log unchanged when it closes`() throws {
    try connection.write { try connection.statement("INSERT INTO t (a) VALUES (1)").run() }
    #expect(connection.logPages > 0)
    connection.close()
    var status = stat()
    #expect(stat(folder.databasePath + "-wal", &status) == 0)
    #expect(status.st_size > 0)
    #expect(try folder.connect().statement("SELECT count(*) FROM t").value() == 1)
  }

  @Test func `empties the log at a checkpoint`() throws {
    try connection.write { try connection.statement("INSERT INTO t (a) VALUES (1)").run() }
    #expect(try connection.checkpoint())
    #expect(connection.logPages > 0)
    #expect(try connection.checkpoint(.emptying(waitMilliseconds: 0)))
    #expect(connection.logPages == 0)
  }

  @Test func `enforces foreign keys and syncs every commit`() throws {
    #expect(try connection.statement("PRAGMA foreign_keys").value() == 1)
    #expect(try connection.statement("PRAGMA synchronous").value() == 2)
    #expect(try connection.statement("PRAGMA journal_mode").value() == "wal")
    #expect(try connection.statement("PRAGMA trusted_schema").value() == 0)
  }

  @Test func `reports that a file is not a database`() throws {
    let other = TemporaryFolder()
    let file = fopen(other.databasePath, "w")
    fputs(String(repeating: "not a database ", count: 100), file)
    fclose(file)
    let error = #expect(throws: SQLiteError.self) { try other.connect() }
    #expect(error?.isDamage == true)
  }
}
