/// Statements that are sent together and answered together, in order: one round trip.
///
/// ```swift
/// var batch = PostgresBatch()
/// var names: [String] = []
/// batch.add("SELECT name FROM contacts WHERE account_id = $1", PostgresValue(account)) { names = try $0.map { try $0["name"] } }
/// try connection.run(batch)
/// ```
///
/// Where one fails, those behind it are not run, and none of the rows are handed out.
package struct PostgresBatch {
  package typealias Take = (PostgresRows) throws(PostgresError) -> Void

  struct Command {
    let statement: String
    let parameters: [PostgresValue]
    let take: Take?
  }

  private(set) var commands: [Command] = []

  package init() {}

  package var isEmpty: Bool { commands.isEmpty }
  package var count: Int { commands.count }

  /// - Parameters:
  ///   - statement: one statement, with parameters `$1`, `$2` and so on. It is prepared once on each connection.
  ///   - take: called with the rows after all statements of the batch have succeeded.
  package mutating func add(_ statement: String, _ parameters: PostgresValue..., take: Take? = nil) {
    add(statement, parameters, take: take)
  }

  package mutating func add(_ statement: String, _ parameters: [PostgresValue], take: Take? = nil) {
    commands.append(Command(statement: statement, parameters: parameters, take: take))
  }

  package mutating func append(_ other: PostgresBatch) { commands += other.commands }
}
