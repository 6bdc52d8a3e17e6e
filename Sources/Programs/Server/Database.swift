import Glibc
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
    /// That it was empty, for an operator who may have expected accounts.
    var warning: String?
    /// That its tables were changed.
    var notice: String?
    let close: () -> Void
  }

  /// Who opens it.
  enum User: Hashable {
    /// A server.
    /// - Parameter createsFile: where the file that was there is missing, an empty one is made.
    case server(createsFile: Bool)
    /// A command beside servers that may run: it makes no database, and changes no tables in a file that a server of an earlier version uses.
    case command
  }

  func open(for user: User) throws(ServerFailure) -> Opened {
    switch self {
    case .file(let path):
      let isNew = NewDatabase.isNeeded(at: path)
      do throws(StorageError) {
        let store = try SQLiteServerStore.open(
          path: path, creation: user == .server(createsFile: true) ? .always : .first,
          updatesBeneathServers: user != .command)
        return Opened(
          store: store, warning: isNew ? NewDatabase.notice(of: path) : nil,
          notice: store.schemaUpdate == .updated ? NewDatabase.updateOfFile : nil, close: store.close)
      } catch {
        throw ServerFailure(
          .cannotCreate, "cannot open the database \(path): \(error.message)\(Self.advice(error, path))")
      }
    case .postgres(let url):
      guard user != .server(createsFile: true) else {
        throw ServerFailure(.usage, "--create is for a database in a file")
      }
      do throws(StorageError) {
        let store = try PostgresServerStore.open(Self.settings(url), makesTables: user != .command)
        return Opened(
          store: store, warning: store.schemaUpdate == .made ? NewDatabase.notice(ofPostgres: url) : nil,
          notice: store.schemaUpdate == .updated ? NewDatabase.updateOfPostgres : nil, close: store.close)
      } catch {
        let advice = error.code == .fileLost ? ": \(NewDatabase.choice)" : ""
        throw ServerFailure(.unavailable, "cannot open the database: \(error.message)\(advice)")
      }
    }
  }

  /// For a command that only looks: a file whose disk takes nothing more is read all the same.
  func openToLook() throws(ServerFailure) -> Opened {
    do throws(ServerFailure) {
      return try open(for: .command)
    } catch {
      guard case .file(let path) = self, let store = try? SQLiteServerStore.openToRead(path: path) else { throw error }
      return Opened(store: store, close: store.close)
    }
  }

  /// How to get back what is lost; empty where nothing is.
  private static func advice(_ error: StorageError, _ path: String) -> String {
    if error.code == .newerSchema {
      return ". Install that version again, or restore a copy from before it: see “\(NewDatabase.restore)”"
        + NewDatabase.leftoversText(beside: path)
    }
    guard error.code == .damaged || error.code == .fileLost else { return "" }
    return "; see “\(NewDatabase.restore)”" + NewDatabase.leftoversText(beside: path)
  }

  /// Why no server can open it; nil where one may. Asks no database.
  static func fault(ofPostgres url: String) -> String? {
    if let fault = PostgresConnection.libraryFault { return fault }
    guard let file = parameter("passfile", of: url) else { return nil }
    var status = stat()
    guard stat(file, &status) == 0, access(file, R_OK) == 0 else {
      return "passfile \(file) cannot be read: \(String(cString: strerror(errno)))"
    }
    // PostgreSQL's own programs leave it unread, https://www.postgresql.org/docs/15/libpq-pgpass.html.
    guard status.st_mode & 0o077 == 0 else { return "passfile \(file): only its user may read it: chmod 0600" }
    return nil
  }

  /// As it is written in the URL; nil too where it is escaped.
  private static func parameter(_ name: String, of url: String) -> String? {
    let query = url.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let value = query.split(separator: "&").first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1)
    return value.flatMap { $0.contains("%") ? nil : String($0) }
  }

  /// Makes or changes the tables of a PostgreSQL database. Those of a file are changed when it is opened. Returns what the operator should
  /// hear of it.
  static func migrate(_ database: Database?) throws(ServerFailure) -> String {
    guard case .postgres(let url) = database else {
      throw ServerFailure(
        .usage, "--migrate needs --database postgresql://…: a file is brought up to date by each start")
    }
    do throws(StorageError) {
      return switch try PostgresServerStore.migrate(settings(url)) {
      case .made: NewDatabase.tables(ofPostgres: url)
      case .updated, .none: "the tables are up to date"
      }
    } catch {
      throw ServerFailure(.unavailable, "cannot change the tables: \(error.message)")
    }
  }

  static func settings(_ url: String) -> PostgresSettings {
    PostgresSettings(url: url, applicationName: "lifesignal-server")
  }
}
