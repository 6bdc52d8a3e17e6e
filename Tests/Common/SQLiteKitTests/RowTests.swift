import Model
import SQLiteKit
import Testing

@Suite struct `A row` {
  let folder: TemporaryFolder
  let connection: Connection

  init() throws {
    folder = TemporaryFolder()
    connection = try folder.connect()
    try connection.execute(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, a ANY, b TEXT) STRICT;
      INSERT INTO t (a, b) VALUES (7, 'seven'), (8, NULL);
      """)
  }

  @Test func `is read by the names of its columns, in any order`() throws {
    let rows = try connection.statement("SELECT a, b, id FROM t ORDER BY id").rows { row in
      (id: try row["id", as: Int64.self], b: try row["b", as: String?.self], a: try row["a", as: Int.self])
    }
    #expect(rows.map(\.id) == [1, 2])
    #expect(rows.map(\.b) == ["seven", nil])
    #expect(rows.map(\.a) == [7, 8])
  }

  @Test func `keeps each name at its column when rows are read in different orders`() throws {
    let statement = try connection.statement("SELECT id, a, b FROM t WHERE id = ?")
    for _ in 1...3 {
      let forwards = try statement.row(.integer(1)) { row in
        "\(try row["id", as: Int.self]) \(try row["a", as: Int.self])"
      }
      let backwards = try statement.row(.integer(1)) { row in
        "\(try row["a", as: Int.self]) \(try row["id", as: Int.self])"
      }
      let last = try statement.row(.integer(1)) { row in try row["b", as: String.self] }
      #expect(forwards == "1 7")
      #expect(backwards == "7 1")
      #expect(last == "seven")
    }
  }

  @Test func `keeps an id as its canonical text, and reads no other spelling of it`() throws {
    let id = try #require(AlertID("0193a4c1-7b2e-7c3d-9e4f-a1b2c3d4e5f6"))
    try connection.statement("INSERT INTO t (a, b) VALUES (9, ?)").run(SQLiteValue(id))
    let statement = try connection.statement("SELECT b FROM t WHERE a = 9")
    #expect(try statement.value() == id.description)
    #expect(try statement.value() == id)
    #expect(try connection.statement("SELECT a FROM t WHERE b = ?").value(SQLiteValue(id)) == 9)
    for change in ["upper(b)", "b || ' '", "replace(b, '-', '+')", "''"] {
      try connection.execute("UPDATE t SET b = \(change) WHERE a = 9")
      let error = #expect(throws: SQLiteError.self) { try statement.value(as: AlertID.self) }
      #expect(error?.isUnreadableValue == true)
      try connection.statement("UPDATE t SET b = ? WHERE a = 9").run(SQLiteValue(id))
    }
    #expect(try connection.statement("SELECT ?").value(SQLiteValue(AlertID?.none), as: AlertID.self) == nil)
  }

  @Test func `finds a column whatever the case of its name`() throws {
    #expect(try connection.statement("SELECT a AS Given FROM t").row { row in try row["given", as: Int.self] } == 7)
  }

  @Test func `refuses a name that no column has, or two have`() throws {
    let statement = try connection.statement("SELECT a, id AS a FROM t")
    let unknown = #expect(throws: SQLiteError.self) { try statement.rows { row in try row["c", as: Int.self] } }
    #expect(unknown?.message.hasPrefix("0 columns are named c in: SELECT") == true)
    let twice = #expect(throws: SQLiteError.self) { try statement.rows { row in try row["a", as: Int.self] } }
    #expect(twice?.message.hasPrefix("2 columns are named a in: SELECT") == true)
  }

  @Test func `reads null as nil for an optional, and as unreadable otherwise`() throws {
    let statement = try connection.statement("SELECT NULL AS a")
    let optionals = try statement.row { row in
      let (integer, text): (Int64?, String?) = (try row["a"], try row["a"])
      let (real, blob, time): (Double?, [UInt8]?, Timestamp?) = (try row["a"], try row["a"], try row["a"])
      return integer == nil && text == nil && real == nil && blob == nil && time == nil
    }
    #expect(optionals == true)
    let plain = try statement.row { row in
      let (integer, text, flag): (Int64, String, Bool) = (try row["a"], try row["a"], try row["a"])
      return integer == 0 && text.isEmpty && !flag
    }
    #expect(plain == true)
  }

  @Test func `returns its columns as they are stored`() throws {
    let values = try connection.statement("SELECT 1, 0.5, 'text', x'00ff', NULL").row { row in row.values }
    #expect(values == [.integer(1), .real(0.5), .text("text"), .blob([0, 255]), .null])
  }
}

private enum Digit: Int {
  case two = 2
}

@Suite struct `A value of the model` {
  let connection: Connection
  let id = "0190b5a4-1c1e-7000-8000-0123456789ab"

  init() throws {
    connection = try Connection(path: Connection.inMemory)
  }

  @Test func `is read from a column as it was bound`() throws {
    let alert = try #require(AlertID(id))
    let statement = try connection.statement("SELECT ? AS id, ? AS at, ? AS kind")
    let read = try statement.row(
      SQLiteValue(alert), SQLiteValue(Timestamp(milliseconds: 5)), SQLiteValue(choice: Notice.activated)
    ) { row in (id: try row["id"] as AlertID, at: try row["at"] as Timestamp, kind: try row.choice("kind") as Notice) }
    #expect(read?.id == alert)
    #expect(read?.at == Timestamp(milliseconds: 5))
    #expect(read?.kind == .activated)
    #expect(try connection.statement("SELECT 2 AS digit").row { row in try row.choice("digit") as Digit } == .two)
  }

  @Test func `is unreadable if the column has something else`() throws {
    let statement = try connection.statement("SELECT ? AS id, 'ended' AS kind")
    for text in ["", "no id", id.uppercased()] {
      let error = #expect(throws: SQLiteError.self) {
        try statement.row(.text(text)) { row in try row["id", as: AlertID.self] }
      }
      #expect(error?.kind == .unreadableValue)
      #expect(error?.isDamage == false)
      #expect(error?.message.contains("no id") == false)
    }
    let error = #expect(throws: SQLiteError.self) {
      try statement.row(.null) { row in try row.choice("kind", as: Notice.self) }
    }
    #expect(error?.kind == .unreadableValue)
    let unknown = #expect(throws: SQLiteError.self) {
      try connection.statement("SELECT 3 AS digit").row { row in try row.choice("digit", as: Digit.self) }
    }
    #expect(unknown?.kind == .unreadableValue)
  }

  @Test func `that is unreadable skips only its own row`() throws {
    try connection.execute("CREATE TABLE t (id TEXT) STRICT")
    let insert = try connection.statement("INSERT INTO t (id) VALUES (?)")
    for text in [id, "no id", id] { try insert.run(.text(text)) }
    let ids = try connection.statement("SELECT id FROM t").readableRows(all: []) { row in
      try row["id", as: AlertID.self]
    }
    #expect(ids.map(\.description) == [id, id])
    let unknown = try connection.statement("SELECT id FROM t")
    #expect(throws: SQLiteError.self) {
      try unknown.readableRows(all: []) { row in try row["unknown", as: String.self] }
    }
  }
}

@Suite struct `A statement` {
  let folder: TemporaryFolder
  let connection: Connection

  init() throws {
    folder = TemporaryFolder()
    connection = try folder.connect()
    try connection.execute("CREATE TABLE t (a INTEGER) STRICT; INSERT INTO t VALUES (1), (2), (NULL);")
  }

  @Test func `returns the first column of its first row as a value`() throws {
    #expect(try connection.statement("SELECT count(*) FROM t").value() == 3)
    #expect(try connection.statement("SELECT a FROM t WHERE a > ?").value(.integer(1)) == 2)
    #expect(try connection.statement("SELECT a FROM t WHERE a > ?").value(.integer(2), as: Int.self) == nil)
    #expect(try connection.statement("SELECT a FROM t WHERE a IS NULL").value(as: Int.self) == nil)
  }

  @Test func `says whether it has a row`() throws {
    let statement = try connection.statement("SELECT 1 FROM t WHERE a = ?")
    #expect(try statement.hasRow(.integer(1)))
    #expect(try !statement.hasRow(.integer(3)))
  }

  @Test func `holds no lock after reading its rows has stopped early or failed`() throws {
    let statement = try connection.statement("SELECT a FROM t")
    var count = 0
    try statement.forEachRow(all: []) { _ in
      count += 1
      return count == 2 ? .stop : .goOn
    }
    #expect(count == 2)
    #expect(throws: SQLiteError.self) { try statement.rows { row in try row["unknown", as: Int.self] } }
    #expect(try statement.hasRow())
    // A statement that still had rows would block this.
    try connection.execute("DROP TABLE t")
  }

  @Test func `says whether it only reads`() throws {
    #expect(try connection.statement("SELECT a FROM t").isReadOnly)
    #expect(try !connection.statement("DELETE FROM t").isReadOnly)
  }

  /// Another spelling of an id is found in no other row.
  @Test(arguments: [
    ("01890000-0000-7000-8000-00000000000a", true), ("01890000-0000-7000-8000-00000000000A", false),
    ("01890000-0000-7000-8000-00000000000", false), ("", false), ("01890000-0000-7000-8000-00000000000g", false),
  ])
  func `holds an id only as a store writes it`(text: String, isID: Bool) throws {
    let statement = try connection.statement("SELECT ? AS id")
    let read = try? statement.row(.text(text)) { row in try row["id", as: AlertID.self] }
    #expect(read?.description == (isID ? text : nil))
    #expect((AlertID(stored: text) != nil) == isID)
  }
}
