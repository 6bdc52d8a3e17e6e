import Foundation
import PostgresKit
import PostgresTesting
import StoreContract
import Testing

@testable import ServerStorePostgres

/// What the SQL of this store may not do, so that a divided database takes it as it is: each rule, and an example that it refuses.
enum SQLRule: CaseIterable {
  case takesNoTime, takesNoChance, countsNoSequence, needsNoSpecialLocks, dividesNoIntegers, keysBeginWithTheAccount,
    namesItsColumns

  var example: String {
    switch self {
    case .takesNoTime: "UPDATE alerts SET ended_at = extract(epoch FROM now()) WHERE account_id = $1"
    case .takesNoChance: "INSERT INTO alerts (account_id, id) VALUES ($1, gen_random_uuid())"
    case .countsNoSequence: "CREATE TABLE letters (\n  account_id uuid NOT NULL,\n  id bigserial PRIMARY KEY\n);"
    case .needsNoSpecialLocks: "SELECT id FROM deliveries WHERE due_at < $1 FOR UPDATE SKIP LOCKED"
    case .dividesNoIntegers: "SELECT count(*) / 2 FROM alerts WHERE account_id = $1"
    case .keysBeginWithTheAccount:
      "CREATE TABLE letters (\n  account_id uuid NOT NULL,\n  id uuid PRIMARY KEY\n) /* by account */;"
    case .namesItsColumns: "SELECT * FROM alerts WHERE account_id = $1"
    }
  }

  /// What is wrong with a statement; nil if nothing is.
  func objection(to sql: String) -> String? {
    switch self {
    case .takesNoTime:
      Self.first(#"\b(now|clock_timestamp|statement_timestamp|localtime\w*|current_(time|date|timestamp))\b"#, in: sql)
    case .takesNoChance: Self.first(#"\b(random|gen_random_uuid|uuid_generate\w*)\s*\("#, in: sql)
    case .countsNoSequence: Self.first(#"\b(nextval|\w*serial|GENERATED|CREATE SEQUENCE)\b"#, in: sql)
    case .needsNoSpecialLocks: Self.first(#"\b(SKIP LOCKED|pg_(try_)?advisory\w*)\b"#, in: sql)
    case .dividesNoIntegers: Self.first(#"[\w)$]\s*/\s*[\w($]"#, in: sql)
    case .keysBeginWithTheAccount: Self.keyWithoutAccount(in: sql)
    case .namesItsColumns: Self.first(#"SELECT \*(?! FROM alerts AS one)"#, in: sql)
    }
  }

  private static func first(_ pattern: String, in sql: String) -> String? {
    sql.range(of: pattern, options: [.regularExpression, .caseInsensitive]).map { String(sql[$0]) }
  }

  /// The first key of a table that is divided by its account which does not begin with it.
  private static func keyWithoutAccount(in sql: String) -> String? {
    let divided = Set(tables(in: sql).filter(\.isDivided).map(\.name))
    for table in tables(in: sql) where table.isDivided {
      for line in table.lines where line.contains("PRIMARY KEY") || line.contains("UNIQUE") {
        let isRight = line.contains("(account_id") || line.hasPrefix("account_id ")
        if !isRight { return "\(table.name): \(line)" }
      }
    }
    for index in sql.components(separatedBy: "CREATE UNIQUE INDEX ").dropFirst() {
      let text = index.prefix { $0 != ";" }
      guard let table = first(#"(?<=ON )\w+"#, in: String(text)), divided.contains(table) else { continue }
      if !text.contains("(account_id") { return String(text) }
    }
    return nil
  }

  private static func tables(in sql: String) -> [(name: String, lines: [String], isDivided: Bool)] {
    sql.components(separatedBy: "CREATE TABLE ").dropFirst().map { text in
      let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      let end = lines.firstIndex { $0.hasPrefix(")") && $0.hasSuffix(";") } ?? lines.count - 1
      return (
        name: String(text.prefix { $0 != " " }), lines: Array(lines[..<end]),
        isDivided: lines[end].contains("by account")
      )
    }
  }
}

@Suite(.timeLimit(.minutes(5)))
struct SQLRulesTests {
  @Test(arguments: SQLRule.allCases)
  func `a rule refuses its example`(rule: SQLRule) {
    #expect(rule.objection(to: rule.example) != nil)
  }

  @Test func `the tables keep all rules`() throws {
    let text = PostgresMigration.embedded().map(\.sql).joined(separator: "\n")
    let sql = text.split(separator: "\n").map { line in String(line.prefix { $0 != "-" || line.contains("> -") }) }
      .joined(separator: "\n")
    for rule in SQLRule.allCases { #expect(rule.objection(to: sql) == nil, "\(rule)") }
  }

  /// Those that the contract uses.
  private static func statements() throws -> Set<String> {
    var statements: Set<String> = []
    for clause in StoreContract.clauses {
      let subject = try PostgresSubject()
      try clause.run(on: subject)
      for store in subject.stores { statements.formUnion(store.statements()) }
    }
    #expect(statements.count > 80)
    return statements
  }

  /// Tables that stay small.
  private static let small: Set = ["writer", "processes", "kept_counts", "server_state"]

  @Test func `no statement reads a whole table that grows, also where it was planned while all were empty`() throws {
    let database = try PostgresServer.shared().newDatabase()
    let settings = PostgresSubject.settings(database.url)
    try PostgresServerStore.open(settings).close()
    let connection = try PostgresConnection(settings)
    try connection.execute(script: "SET plan_cache_mode = force_generic_plan")
    for (number, statement) in try Self.statements().sorted().enumerated() where statement.contains("FROM ") {
      let count = (1...30).last { statement.contains("$\($0)") } ?? 0
      let nulls = count == 0 ? "" : "(" + [String](repeating: "NULL", count: count).joined(separator: ", ") + ")"
      try connection.execute(script: "PREPARE plan_\(number) AS \(statement)")
      var lines: [String] = []
      var batch = PostgresBatch()
      batch.add("EXPLAIN EXECUTE plan_\(number)\(nulls)") { rows throws(PostgresError) in
        lines = try rows.map { row throws(PostgresError) in try row["\"QUERY PLAN\""] }
      }
      try connection.run(batch)
      for line in lines {
        guard let table = line.firstMatch(of: /Seq Scan on (\w+)/)?.output.1 else { continue }
        #expect(Self.small.contains(String(table)), "\(statement): \(line)")
      }
    }
  }

  @Test func `the statements that the contract uses keep all rules`() throws {
    let statements = try Self.statements()
    for statement in statements {
      for rule in SQLRule.allCases {
        #expect(rule.objection(to: statement) == nil, "\(rule): \(statement)")
      }
    }
  }
}
