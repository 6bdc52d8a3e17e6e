package import ServerCore

/// The server's store in one SQLite file.
///
/// One writer connection and one for reads, each behind a lock; every write transaction and checkpoint also holds `flock` on
/// `<path>.lock`, so that a second process (or an operator's tool of ours) is safe beside this one.
package final class SQLiteServerStore: ServerStore {
  /// Opens or makes the file, mode 0600, and brings its tables up to date.
  package static func open(path: String) throws(StorageError) -> SQLiteServerStore {
    fatalError("not yet")
  }

  private init() {}

  package func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    fatalError("not yet")
  }

  package func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    fatalError("not yet")
  }

  /// Writes the log back into the file when it is longer than 1,000 pages. The shell calls it after a burst; `write` does by
  /// itself.
  package func checkpointIfNeeded() throws(StorageError) {
    fatalError("not yet")
  }

  package func close() {}
}
