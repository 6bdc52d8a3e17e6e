import PostgresKit
import PostgresTesting
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
    /// A later version of the program has added to them what it needs.
    case expanded

    var migrations: [PostgresMigration] {
      switch self {
      case .plain: PostgresMigration.embedded()
      case .partitioned: PostgresMigration.embedded(PostgresSubject.partitioned)
      case .expanded: PostgresMigration.embedded() + [.later]
      }
    }
  }

  private static let templates = Lock<[Tables: TestDatabase]>([:])

  let database: TestDatabase
  private let user: String
  private let opened: Lock<[PostgresServerStore]>

  /// - Parameter count: how many processes use the database, in turn.
  /// - Parameter user: as whom the stores use the database.
  init(_ tables: Tables = .plain, processes count: Int = 1, user: String = "postgres") throws {
    database = try PostgresServer.shared().newDatabase(from: Self.template(tables).name)
    self.user = user
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
    try (0..<count).map { _ in
      try PostgresServerStore.open(Self.settings(database.server.url(database.name, user: user)))
    }
  }

  static func template(_ tables: Tables) throws -> TestDatabase {
    try templates.withLock { templates in
      if let known = templates[tables] { return known }
      let database = try PostgresServer.shared().newDatabase()
      let connection = try database.connection()
      try PostgresMigrator(tables.migrations).migrate(connection)
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

extension PostgresMigration {
  /// A step as a later version of the program may have it.
  static let later = PostgresMigration(
    "m9999_later",
    """
    ALTER TABLE accounts ADD COLUMN language text;
    ALTER TABLE alerts ADD COLUMN altitude_m double precision, ADD COLUMN floor bigint NOT NULL DEFAULT 0;
    ALTER TABLE contacts ADD COLUMN languages text NOT NULL DEFAULT '';
    ALTER TABLE deliveries ADD COLUMN kind text NOT NULL DEFAULT 'plain' CHECK (kind <> '');
    ALTER TABLE processes ADD COLUMN version text;
    ALTER TABLE sessions ADD COLUMN app text;
    CREATE INDEX IF NOT EXISTS alerts_by_floor ON alerts (account_id, floor);
    CREATE TABLE attachments (
      account_id uuid NOT NULL, alert_id uuid NOT NULL, id uuid NOT NULL, bytes bytea NOT NULL,
      PRIMARY KEY (account_id, alert_id, id),
      FOREIGN KEY (account_id, alert_id) REFERENCES alerts (account_id, id) ON DELETE CASCADE);
    """)
}
