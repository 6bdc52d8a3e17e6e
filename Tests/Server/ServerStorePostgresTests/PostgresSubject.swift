import PostgresKit
import PostgresTesting
import Schema
import ServerCore
import StoreContract
import SystemKit

@testable import ServerStorePostgres

/// A store in a database of its own, copied from one whose tables were made once.
final class PostgresSubject: StoreSubject {
  enum Tables: String, CaseIterable {
    case plain
    /// Every table that is divided by its account lies in three hash partitions, as on several machines.
    case partitioned
  }

  private static let templates = Lock<[Tables: TestDatabase]>([:])

  let database: TestDatabase
  private let opened: Lock<[PostgresServerStore]>

  /// - Parameter count: how many processes use the database, in turn.
  init(_ tables: Tables = .plain, processes count: Int = 1) throws {
    database = try PostgresServer.shared().newDatabase(from: Self.template(tables).name)
    opened = Lock([])
    let stores = try open(count)
    opened.withLock { $0 = stores }
  }

  deinit {
    for store in stores { store.close() }
  }

  static func settings(_ url: String) -> PostgresSettings { PostgresSettings(url: url, applicationName: "tests") }

  var stores: [PostgresServerStore] { opened.withLock { $0 } }

  /// The one whose turn it is.
  var store: any ServerStore {
    opened.withLock { stores in
      stores.append(stores.removeFirst())
      return stores[0]
    }
  }

  func reopen() throws {
    let old = stores
    for store in old { store.close() }
    let stores = try open(old.count)
    opened.withLock { $0 = stores }
  }

  private func open(_ count: Int) throws -> [PostgresServerStore] {
    try (0..<count).map { _ in try PostgresServerStore.open(Self.settings(database.url)) }
  }

  private static func template(_ tables: Tables) throws -> TestDatabase {
    try templates.withLock { templates in
      if let known = templates[tables] { return known }
      let database = try PostgresServer.shared().newDatabase()
      let connection = try database.connection()
      try PostgresMigrator(embedded: lifesignal_schema_server_postgres_migration) {
        tables == .partitioned ? partitioned($0) : $0
      }.migrate(connection)
      connection.close()
      templates[tables] = database
      return database
    }
  }

  /// The schema with partitions for each table that bears the mark.
  static func partitioned(_ sql: String) -> String {
    var text = ""
    var table = ""
    for line in sql.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("CREATE TABLE ") { table = String(line.split(separator: " ")[2]) }
      guard line == ") /* by account */;" else {
        text += line + "\n"
        continue
      }
      text += ") PARTITION BY HASH (account_id);\n"
      for place in 0..<3 {
        text +=
          "CREATE TABLE \(table)_\(place) PARTITION OF \(table) FOR VALUES WITH (MODULUS 3, REMAINDER \(place));\n"
      }
    }
    return text
  }
}
