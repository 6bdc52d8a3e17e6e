import ChildPrograms
import Foundation
import StoreContract
import Testing

/// Tests how the store finds its rows. Without `ANALYZE`, which nothing here runs, SQLite chooses a plan by the schema
/// alone, so the plans of an empty store are those of a full one.
@Suite(.computing) struct `The plan of every statement` {
  private static func line(_ sql: some StringProtocol) -> String {
    sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// The statement on one line, without the columns that it reads or sets.
  private static func key(_ sql: String) -> String {
    let text = line(sql)
    func cut(from start: String, to end: String) -> String {
      guard let start = text.range(of: start),
        let end = text.range(of: end, range: start.upperBound..<text.endIndex)
      else { return text }
      return String(text[..<start.upperBound]) + "…" + String(text[end.lowerBound...])
    }
    if text.hasPrefix("INSERT") { return cut(from: "(", to: ") VALUES") }
    return text.hasPrefix("UPDATE") ? cut(from: " SET ", to: " WHERE ") : cut(from: "SELECT ", to: " FROM ")
  }

  private static func plans() throws -> [String: [String]] {
    var plans: [String: [String]] = [:]
    for clause in StoreContract.clauses {
      let store = try EmbeddedStore()
      try clause.run(on: store)
      // Each connection checks once whether the tables exist.
      for (sql, lines) in try store.queryPlans() where !sql.contains("sqlite_schema") { plans[sql] = lines }
    }
    return plans
  }

  /// The statements in the store's sources, but for those of a backup, which reads everything.
  private static func written() throws -> Set<String> {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.appendingPathComponent("Sources/Server/ServerStoreSQLite")
    var statements: Set<String> = []
    for path in FileManager.default.subpaths(atPath: folder.path) ?? []
    where path.hasSuffix(".swift") && !path.hasPrefix("Backup/") {
      let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
      for match in text.matches(
        of: /"""\s+((?:SELECT|INSERT|UPDATE|DELETE)(?s:.)*?)\s+"""|"((?:SELECT|INSERT|UPDATE|DELETE) [^"]*)"/)
      {
        statements.insert(line(match.output.1 ?? match.output.2 ?? ""))
      }
    }
    // Those that are made of names of the schema are the work of a person, on one account.
    return statements.filter { !$0.contains("sqlite_schema") && !$0.contains("\\(") }
  }

  @Test func `is the reviewed one`() throws {
    let plans = try Self.plans()
    let used = Set(plans.keys.map { Self.line($0) })
    let unused = try Self.written().subtracting(used)
    #expect(unused.isEmpty, "no clause of the contract uses these")
    let rows = plans.filter { !$0.value.isEmpty }.map {
      "\(Self.key($0.key))\n" + $0.value.map { "    \($0)\n" }.joined()
    }
    let found = Set(rows).sorted().joined()
    #expect(found == pinnedStatementPlans, "the plans are now:\n\(found)")
  }

  @Test func `scans no table, and sorts nothing that grows with it`() throws {
    var used: Set<String> = []
    for (sql, lines) in try Self.plans() {
      for line in lines where line.contains("SCAN") || line.contains("TEMP B-TREE") {
        let key = Self.key(sql)
        let reason = boundedWork.first { line.contains($0.line) && key.contains($0.statement) }?.reason
        #expect(reason != nil, "\(key): \(line)")
        if let reason { used.insert(reason) }
      }
    }
    #expect(used == Set(boundedWork.map(\.reason)), "what is listed is there")
  }
}
