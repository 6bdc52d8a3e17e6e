import Glibc
import SystemKit

/// What is said of an empty database that a start made: to whoever expected accounts it looks like a server that works.
enum NewDatabase {
  /// Whether the file is missing or empty.
  static func isNeeded(at path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 ? errno == ENOENT : status.st_size == 0
  }

  static func notice(of path: String) -> String {
    "made a new, empty database at \(path). If you expected accounts, stop this server and see “\(restore)”"
      + leftoversText(beside: path)
  }

  static func notice(ofPostgres url: String) -> String {
    "\(tables(ofPostgres: url)). If you expected accounts, stop this server and see whether --database names the right one"
  }

  static func tables(ofPostgres url: String) -> String {
    "the database \(url.prefix { $0 != "?" }) held nothing of a server: its tables were made"
  }

  static let updateOfFile =
    "the tables were brought up to date: earlier versions of the server cannot open the database any more"
  static let updateOfPostgres =
    "the tables were brought up to date: servers of the version before this one go on with them, and older ones may not"

  static let choice = "name the server's file of settings with --config, or the database with --database"
  static let restore = "lifesignal-server admin restore"

  /// Names what may be a former database or a copy; empty where there is nothing.
  static func leftoversText(beside path: String) -> String {
    let names = leftovers(beside: path)
    guard !names.isEmpty else { return "" }
    let more = names.count > shownLeftovers ? " and \(names.count - shownLeftovers) more" : ""
    return ". In \(Folder.parent(of: path)) are: " + names.prefix(shownLeftovers).joined(separator: ", ") + more
  }

  private static let shownLeftovers = 5

  private static func leftovers(beside path: String) -> [String] {
    let own = path.split(separator: "/").last.map(String.init) ?? path
    let inUse = Set(["", "-wal", "-shm", "-lock", "-journal"].map { own + $0 })
    // A folder that cannot be read names nothing.
    let names = (try? Folder.names(in: Folder.parent(of: path))) ?? []
    return names.filter { name in
      !inUse.contains(name) && !name.hasPrefix(".")
        && (name.hasPrefix(own) || name.hasSuffix(".sqlite") || name.lowercased().contains("backup"))
    }
  }
}
