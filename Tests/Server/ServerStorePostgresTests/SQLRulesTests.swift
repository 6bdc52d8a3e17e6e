import ChildPrograms
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

@Suite(.blocking, .timeLimit(.minutes(5)))
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
    for (statement, plan) in try Self.plans() {
      for line in plan {
        guard let table = line.firstMatch(of: /Seq Scan on (\w+)/)?.output.1 else { continue }
        #expect(Self.small.contains(String(table)), "\(statement): \(line)")
      }
    }
  }

  /// Where most accounts have one alert, PostgreSQL takes all rows of an account for as good as one of them.
  @Test func `what has a key is found by all of it, also where most accounts have one alert`() throws {
    for (statement, plan) in try Self.plans(after: Self.alertsOfManyAccounts) {
      for line in plan {
        let readsMore =
          line.contains(
            /Filter: .*\b(id|alert_id|mutation_id|entity_id|sequence|access_hash|refresh_hash|alert_key_hash) =/)
          && !Self.isListed(statement, plan)
          || line.contains(/Index Scan using alerts_by_receipt/) && !statement.contains("received_at <")
        #expect(!readsMore, "\(statement): \(plan.joined(separator: "\n"))")
      }
    }
  }

  /// Whether it looks at all messages that are due, as the list does from which an operator has the id.
  private static func isListed(_ statement: String, _ plan: [String]) -> Bool {
    statement.contains("FROM deliveries WHERE id = $1 AND due_at IS NOT NULL")
      && plan.contains { $0.contains("Index Scan using deliveries_by_due") }
  }

  /// One alert of each of 3,000 accounts, with its messages.
  private static let alertsOfManyAccounts = """
    CREATE FUNCTION pg_temp.made(text, bigint) RETURNS uuid LANGUAGE sql AS 'SELECT md5($1 || $2)::uuid';
    INSERT INTO accounts (account_id, phone, epoch, created_at) SELECT pg_temp.made('account', n), n, 'e', 0
      FROM generate_series(1, 3000) AS n;
    INSERT INTO alerts (account_id, id, ordinal, device_id, started_at, drill, received_at)
      SELECT pg_temp.made('account', n), pg_temp.made('alert', n), 1, pg_temp.made('device', n), 0, false, 0
      FROM generate_series(1, 3000) AS n;
    INSERT INTO alert_updates (account_id, alert_id, number, mutation_id, device_id, at, received_at, is_call)
      SELECT pg_temp.made('account', n), pg_temp.made('alert', n), 1, pg_temp.made('update', n), pg_temp.made('device', n), 0, 0, false
      FROM generate_series(1, 3000) AS n;
    INSERT INTO deliveries (account_id, id, alert_id, contact_id, contact_name, notice, channel_url, host, state, state_at,
        told_end, created_at, attempts, refusals, is_leased, is_dropped, call_number, told_call, priority, role, round, changed)
      SELECT pg_temp.made('account', n), pg_temp.made('delivery', n), pg_temp.made('alert', n), pg_temp.made('contact', n), 'B',
        'activated', '', '', 'sent', 0, false, 0, 1, 0, false, false, 0, 0, 0, 'news', 0, n FROM generate_series(1, 3000) AS n;
    INSERT INTO mutations (account_id, id, fingerprint, applied_at)
      SELECT pg_temp.made('account', n), pg_temp.made('mutation', n), 0, 0 FROM generate_series(1, 3000) AS n;
    INSERT INTO changes (account_id, sequence, entity_kind, entity_id, tag)
      SELECT pg_temp.made('account', n), 1, 1, pg_temp.made('alert', n), 0 FROM generate_series(1, 3000) AS n;
    INSERT INTO cursors (account_id, device_id, sequence, tag)
      SELECT pg_temp.made('account', n), pg_temp.made('device', n), 1, 0 FROM generate_series(1, 3000) AS n;
    INSERT INTO contacts (account_id, id, name, phone, is_responder, is_dependent, channels, tier)
      SELECT pg_temp.made('account', n), pg_temp.made('contact', n), 'B', n, true, false, '', 1 FROM generate_series(1, 3000) AS n;
    INSERT INTO sessions (account_id, id, device_name, alert_key_hash, created_at)
      SELECT pg_temp.made('account', n), pg_temp.made('session', n), 'phone', sha256(('key ' || n)::bytea), 0
      FROM generate_series(1, 3000) AS n;
    INSERT INTO tokens (account_id, session_id, generation, access_hash, refresh_hash, salt, access_expires_at, refresh_expires_at)
      SELECT pg_temp.made('account', n), pg_temp.made('session', n), 1, sha256(('access ' || n)::bytea),
        sha256(('refresh ' || n)::bytea), sha256('salt'), 0, 0 FROM generate_series(1, 3000) AS n;
    INSERT INTO verifications (id, phone, code_hash, created_at, resend_at, expires_at, tries)
      SELECT n, n, sha256(n::text::bytea), 0, 0, 0, 0 FROM generate_series(1, 3000) AS n;
    INSERT INTO code_messages (id, verification_id, phone, attempts, due_at, is_leased)
      SELECT pg_temp.made('code', n), n, n, 0, 0, false FROM generate_series(1, 3000) AS n;
    ANALYZE;
    """

  /// The plan of each statement for any parameters.
  private static func plans(after script: String = "") throws -> [(statement: String, plan: [String])] {
    let database = try PostgresServer.shared().newDatabase()
    let settings = PostgresSubject.settings(database.url)
    try PostgresServerStore.open(settings).close()
    let connection = try PostgresConnection(settings)
    try connection.execute(script: "SET plan_cache_mode = force_generic_plan; \(script)")
    let statements = try statements().sorted().filter { $0.contains("FROM ") }
    return try statements.enumerated().map { (number, statement) in
      let count = (1...30).last { statement.contains("$\($0)") } ?? 0
      let nulls = count == 0 ? "" : "(" + [String](repeating: "NULL", count: count).joined(separator: ", ") + ")"
      try connection.execute(script: "PREPARE plan_\(number) AS \(statement)")
      var lines: [String] = []
      var batch = PostgresBatch()
      batch.add("EXPLAIN EXECUTE plan_\(number)\(nulls)") { rows throws(PostgresError) in
        lines = try rows.map { row throws(PostgresError) in try row["\"QUERY PLAN\""] }
      }
      try connection.run(batch)
      return (statement, lines)
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
