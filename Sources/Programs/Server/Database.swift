import PostgresKit
import ServerCore
import ServerStorePostgres
import ServerStoreSQLite

/// Where the server keeps everything, as `--database` says it.
enum Database: Sendable, Hashable {
  /// The path of an SQLite file.
  case file(String)
  /// A URL of PostgreSQL. It has no password: other users of the machine see the command line.
  case postgres(String)

  init(_ value: String) throws(ServerFailure) {
    guard value.hasPrefix("postgres://") || value.hasPrefix("postgresql://") else {
      self = .file(value)
      return
    }
    guard !Self.hasPassword(value) else {
      throw ServerFailure(
        .usage,
        "--database: others can see a password on the command line: write it into a file as PostgreSQL wants it "
          + "(host:port:database:user:password), and name that with ?passfile=FILE")
    }
    guard !value.contains("connect_timeout=0"), !value.contains("connect_timeout=-") else {
      throw ServerFailure(.data, "--database: connect_timeout has to be a number of seconds from 2 on")
    }
    self = .postgres(value)
  }

  private static func hasPassword(_ url: String) -> Bool {
    let beginning = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).dropFirst(2).first ?? ""
    let user = beginning.lastIndex(of: "@").map { beginning[..<$0] } ?? ""
    return user.contains(":") || url.contains("password=")
  }

  /// A store that is open, and what closes it.
  struct Opened {
    let store: any ServerStore
    /// What the operator should hear of it.
    var notice: String?
    let close: () -> Void
  }

  /// - Parameter createsFile: where the file that was there is missing, an empty one is made.
  func open(createsFile: Bool) throws(ServerFailure) -> Opened {
    switch self {
    case .file(let path):
      let isNew = NewDatabase.isNeeded(at: path)
      do throws(StorageError) {
        let store = try SQLiteServerStore.open(path: path, creation: createsFile ? .always : .first)
        return Opened(store: store, notice: isNew ? NewDatabase.notice(of: path) : nil, close: store.close)
      } catch {
        throw ServerFailure(
          .cannotCreate, "cannot open the database \(path): \(error.message)\(Self.advice(error, path))")
      }
    case .postgres(let url):
      guard !createsFile else { throw ServerFailure(.usage, "--create is for a database in a file") }
      do throws(StorageError) {
        let store = try PostgresServerStore.open(Self.settings(url))
        return Opened(store: store, close: store.close)
      } catch {
        throw ServerFailure(.unavailable, "cannot open the database: \(error.message)")
      }
    }
  }

  /// How to get back what is lost; empty where nothing is.
  private static func advice(_ error: StorageError, _ path: String) -> String {
    guard error.code == .damaged || error.code == .fileLost else { return "" }
    return "; see “\(NewDatabase.restore)”" + NewDatabase.leftoversText(beside: path)
  }

  /// Makes or changes the tables of a PostgreSQL database. Those of a file are changed when it is opened.
  static func migrate(_ database: Database?) throws(ServerFailure) {
    guard case .postgres(let url) = database else {
      throw ServerFailure(
        .usage, "--migrate needs --database postgresql://…: a file is brought up to date by each start")
    }
    do throws(StorageError) {
      try PostgresServerStore.migrate(settings(url))
    } catch {
      throw ServerFailure(.unavailable, "cannot change the tables: \(error.message)")
    }
  }

  private static func settings(_ url: String) -> PostgresSettings {
    PostgresSettings(url: url, applicationName: "lifesignal-server")
  }
}
