import ChildPrograms
import Model
import PostgresTesting
import Testing

@testable import PostgresKit

@Suite(.blocking, .timeLimit(.minutes(10)))
struct PostgresConnectionTests {
  private let connection: PostgresConnection
  private let database: TestDatabase

  init() throws {
    database = try PostgresServer.shared().newDatabase()
    connection = try database.connection()
  }

  private func run(_ statement: String, _ parameters: PostgresValue...) throws(PostgresError) {
    var batch = PostgresBatch()
    batch.add(statement, parameters)
    try connection.run(batch)
  }

  @Test func `values of all kinds come back as they were sent`() throws {
    let id = Identifier<Account>(words: (0x0123_4567_89ab_4def, 0x8123_4567_89ab_cdef))
    var batch = PostgresBatch()
    var read: Values?
    var kinds: [PostgresError.Kind?] = []
    batch.add(
      """
      SELECT $1::boolean AS flag, $2::bigint AS number, $3::double precision AS real, $4::text AS text, $5::bytea AS bytes,
        $6::uuid AS id, $7::text AS nothing, $8::uuid[] @> ARRAY[$6::uuid] AS is_among, $9::bigint AS time
      """, PostgresValue(true), PostgresValue(Int64.min), PostgresValue(-0.5), PostgresValue("Zoë 🆘\n'"),
      .bytes([0, 255, 7]), PostgresValue(id), .null, PostgresValue([id]), PostgresValue(Timestamp(milliseconds: -1))
    ) { rows throws(PostgresError) in
      read = try rows.first(Values.init(row:))
      kinds = [
        rows[0].failure(of: "nothing", as: String.self), rows[0].failure(of: "text", as: Double.self),
        rows[0].failure(of: "missing", as: String.self),
      ]
    }
    try connection.run(batch)
    let sent = Values(
      flag: true, number: .min, real: -0.5, text: "Zoë 🆘\n'", bytes: [0, 255, 7], id: id, nothing: nil, isAmong: true,
      time: Timestamp(milliseconds: -1))
    #expect(read == sent)
    #expect(kinds == [.unreadableValue, .unreadableValue, .other])
  }

  @Test func `a notification of another connection is noticed, and its own is not`() throws {
    let other = try database.connection()
    try connection.execute(script: "LISTEN here")
    try connection.execute(script: "NOTIFY here")
    #expect(!connection.takeNotifications())
    try other.execute(script: "NOTIFY here")
    // It comes with the next answer at the latest.
    var hasAny = false
    while !hasAny {
      try run("SELECT 1")
      hasAny = connection.takeNotifications()
    }
    #expect(!connection.takeNotifications())
  }

  @Test func `lists, what is empty, and columns read in any order`() throws {
    var batch = PostgresBatch()
    var lists: [String] = []
    var last: String?
    var rowsRead: [[String]] = []
    batch.add(
      "SELECT array_to_string($1::text[], ',', '-') AS texts, cardinality($2::bigint[]) AS count, $3::text AS last",
      .array(.text, [.text("a"), .null, .text(""), .text("Zoë")]), .array(.integer, []), .text("")
    ) { rows throws(PostgresError) in
      lists = [try rows[0]["texts"], String(try rows[0]["count", as: Int.self])]
      last = try rows[0]["last"]
    }
    batch.add("SELECT n::text AS a, (n * n)::text AS b, 'c'::text AS c FROM generate_series(2::bigint, 3) AS n") {
      rows throws(PostgresError) in
      rowsRead.append([try rows[0]["c"], try rows[0]["a"], try rows[0]["b"], try rows[0]["a"]])
      rowsRead.append([try rows[1]["a"], try rows[1]["c"], try rows[1]["b"]])
    }
    try connection.run(batch)
    #expect(lists == ["a,-,,Zoë", "0"])
    #expect(last == "")
    #expect(rowsRead == [["c", "2", "4", "2"], ["3", "c", "9"]])
  }

  @Test func `the statements of a batch run in order and stop at the first failure`() throws {
    try run("CREATE TABLE numbers (n bigint PRIMARY KEY)")
    var batch = PostgresBatch()
    for number in [1, 2, 1, 3] { batch.add("INSERT INTO numbers (n) VALUES ($1)", PostgresValue(number)) }
    let error = #expect(throws: PostgresError.self) { try connection.run(batch) }
    #expect(error?.kind == .duplicate)
    #expect(error?.message == "PostgreSQL 23505 in numbers_pkey")
    // Without a transaction of its own a batch is one.
    var count: Int?
    var question = PostgresBatch()
    question.add("SELECT count(*) FROM numbers") { rows throws(PostgresError) in count = try rows.value() }
    try connection.run(question)
    #expect(count == 0)
  }

  @Test func `a batch far larger than the buffers of a socket goes through`() throws {
    var batch = PostgresBatch()
    let text = String(repeating: "x", count: 100_000)
    var received = 0
    for _ in 0..<200 {
      batch.add("SELECT $1::text AS text", PostgresValue(text)) { rows throws(PostgresError) in
        received += try rows[0]["text", as: String.self].utf8.count
      }
    }
    try connection.run(batch)
    #expect(received == 20_000_000)
  }

  @Test func `what was sent before is answered before, in order`() throws {
    var (handedOut, numbers) = ([Int](), [Int]())
    for number in 1...3 {
      var batch = PostgresBatch()
      // The same statement is prepared once, although no answer has come.
      batch.add("SELECT $1::bigint AS number", PostgresValue(number)) { rows throws(PostgresError) in
        handedOut.append(try rows.value() ?? 0)
      }
      numbers.append(try connection.send(batch))
    }
    try connection.receive(through: numbers[1])
    #expect(handedOut == [1, 2])
    try connection.receive(through: numbers[0])
    #expect(handedOut == [1, 2])
    try run("SELECT 4")
    #expect(handedOut == [1, 2, 3])
    #expect(connection.statements.count == 2)
  }

  @Test func `the name of a prepared statement tells its batch`() throws {
    var (first, second) = (PostgresBatch(), PostgresBatch())
    for text in ["SELECT 1", "SELECT 2"] { first.add(text) }
    for text in ["SELECT 2", "SELECT 3"] { second.add(text) }
    _ = try connection.send(first)
    try connection.receive(through: try connection.send(second))
    var names: [String] = []
    var question = PostgresBatch()
    question.add("SELECT name FROM pg_prepared_statements WHERE statement LIKE 'SELECT _' ORDER BY prepare_time") {
      rows throws(PostgresError) in names = try rows.map { row throws(PostgresError) in try row["name"] }
    }
    try connection.run(question)
    let batches = names.map { $0.prefix { $0 != "_" } }
    try #require(batches.count == 3)
    #expect(batches[0] == batches[1] && batches[1] != batches[2])
  }

  @Test func `many batches far larger than the buffers of a socket are sent before any is answered`() throws {
    let text = String(repeating: "x", count: 1_000_000)
    var received = 0
    var last = 0
    for _ in 0..<20 {
      var batch = PostgresBatch()
      batch.add("SELECT $1::text AS text", PostgresValue(text)) { rows throws(PostgresError) in
        received += try rows[0]["text", as: String.self].utf8.count
      }
      last = try connection.send(batch)
    }
    try connection.receive(through: last)
    #expect(received == 20_000_000)
  }

  @Test func `a failure of what was sent before is thrown, and nothing is under way after it`() throws {
    try run("CREATE TABLE numbers (n bigint PRIMARY KEY)")
    try run("BEGIN")
    var handedOut: [Int] = []
    for number in [1, 1, 2] {
      var batch = PostgresBatch()
      batch.add("INSERT INTO numbers (n) VALUES ($1) RETURNING n", PostgresValue(number)) {
        rows throws(PostgresError) in
        handedOut.append(try rows.value() ?? 0)
      }
      _ = try connection.send(batch)
    }
    let error = #expect(throws: PostgresError.self) { try run("COMMIT") }
    #expect(error?.kind == .duplicate)
    #expect(handedOut == [1])
    #expect(connection.receiveAll() == nil)
    try run("INSERT INTO numbers (n) VALUES (5)")
    var count: Int?
    var question = PostgresBatch()
    question.add("SELECT count(*) FROM numbers") { rows throws(PostgresError) in count = try rows.value() }
    try connection.run(question)
    #expect(count == 1, "the transaction was undone with its failed statement")
  }

  @Test func `a value that cannot be read holds back no answer`() throws {
    var handedOut: [String] = []
    for statement in ["SELECT 'a text'::text", "SELECT 7::bigint"] {
      var batch = PostgresBatch()
      batch.add(statement) { rows throws(PostgresError) in handedOut.append(String(try rows.value() ?? 0 as Int64)) }
      _ = try connection.send(batch)
    }
    #expect(connection.receiveAll()?.kind == .unreadableValue)
    #expect(handedOut == ["7"])
    try run("SELECT 1")
  }

  @Test func `errors never tell a value`() throws {
    try run("CREATE TABLE people (phone text UNIQUE, age bigint CHECK (age > 0))")
    try run("INSERT INTO people (phone) VALUES ($1)", PostgresValue("+12025550123"))
    let duplicate = #expect(throws: PostgresError.self) {
      try run("INSERT INTO people (phone) VALUES ($1)", PostgresValue("+12025550123"))
    }
    #expect(duplicate?.message == "PostgreSQL 23505 in people_phone_key")
    let impossible = #expect(throws: PostgresError.self) {
      try run("SELECT $1::text::bigint", PostgresValue("secret"))
    }
    #expect(impossible?.message == "PostgreSQL 22P02")
  }

  @Test func `a connection whose server process was ended says so, and is closed`() throws {
    let killer = try database.connection()
    try killer.execute(script: "SELECT pg_terminate_backend(\(connection.serverProcess), 5000)")
    let error = #expect(throws: PostgresError.self) { try run("SELECT 1") }
    #expect(error?.kind == .connectionLost)
    #expect(!connection.isOpen)
    #expect(throws: PostgresError.self) { try run("SELECT 1") }
  }

  @Test func `a server that stands still is given up`() throws {
    var settings = PostgresSettings(url: database.url, applicationName: "tests")
    settings.batchMilliseconds = 100
    let impatient = try PostgresConnection(settings)
    var batch = PostgresBatch()
    batch.add("SELECT pg_sleep(30)")
    let error = #expect(throws: PostgresError.self) { try impatient.run(batch) }
    #expect(error?.kind == .timedOut)
    #expect(!impatient.isOpen)
  }

  @Test func `a statement that the server cancels leaves the connection open`() throws {
    try connection.execute(script: "SET statement_timeout = 50")
    let error = #expect(throws: PostgresError.self) { try run("SELECT pg_sleep(30)") }
    #expect(error?.kind == .conflict)
    try run("SELECT 1")
  }

  @Test func `a session's commits are durable whatever the database's default is`() throws {
    try database.server.administer("ALTER DATABASE \(database.name) SET synchronous_commit = 'off'")
    var setting: String?
    var batch = PostgresBatch()
    batch.add("SELECT current_setting('synchronous_commit')") { rows throws(PostgresError) in setting = try rows.value()
    }
    try database.connection().run(batch)
    #expect(setting == "on")
  }

  @Test func `a host that does not answer is given up for the next one`() throws {
    let door = try DatabaseDoor(to: database.server)
    try door.shut()
    var settings = PostgresSettings(url: door.url(database.name), applicationName: "tests")
    settings.connectSeconds = 2
    let error = #expect(throws: PostgresError.self) { try PostgresConnection(settings) }
    #expect(error?.kind == .connectionLost)
    settings.url = door.url(database.name, otherwise: database.server.folder)
    #expect(try PostgresConnection(settings).isOpen)
  }

  @Test func `a database that is not there is refused in one line without a password`() throws {
    let url = database.server.url("nowhere") + "&password=secret"
    let error = #expect(throws: PostgresError.self) {
      try PostgresConnection(PostgresSettings(url: url, applicationName: "tests"))
    }
    #expect(error?.message.contains("nowhere") == true)
    #expect(error?.message.contains("secret") == false)
    #expect(error?.message.contains("\n") == false)
  }
}

private struct Values: Equatable {
  let flag: Bool
  let number: Int64
  let real: Double
  let text: String
  let bytes: [UInt8]
  let id: Identifier<Account>
  let nothing: String?
  let isAmong: Bool
  let time: Timestamp
}

extension Values {
  init(row: PostgresRow) throws(PostgresError) {
    self.init(
      flag: try row["flag"], number: try row["number"], real: try row["real"], text: try row["text"],
      bytes: try row["bytes"], id: try row["id"], nothing: try row["nothing"], isAmong: try row["is_among"],
      time: try row["time"])
  }
}

extension PostgresRow {
  /// How reading the column fails; nil if it does not.
  fileprivate func failure<Value: PostgresColumnValue>(
    of name: StaticString, as type: Value.Type
  ) -> PostgresError.Kind? {
    do throws(PostgresError) {
      _ = try self[name, as: type]
      return nil
    } catch {
      return error.kind
    }
  }
}
