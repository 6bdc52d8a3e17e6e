import CSQLite

/// How a database file is opened.
package struct ConnectionOptions: Sendable {
  /// The name of a registered SQLite VFS; nil is the default one.
  package var vfs: String?
  package var busyTimeoutMilliseconds: Int32 = 5000
  package var createsFile = true

  package init() {}
}

/// One connection to a database file, with its cache of prepared statements.
///
/// It is opened for several processes with a write-ahead log: `synchronous=FULL`, foreign keys on, defensive, an untrusted
/// schema, no automatic checkpoint and none on close, so that a checkpoint happens only where its owner calls for one.
///
/// Not thread-safe: its owner keeps it under a `Mutex`. Statements must not outlive it.
package final class Connection {
  /// Opens, and creates where `options` allow. Throws where the file cannot be opened or is not a database.
  package init(path: String, options: ConnectionOptions = ConnectionOptions()) throws(SQLiteError) {
    fatalError("not yet")
  }

  /// Finalises the statements and closes the file. Nothing else may be called afterwards; a second call does nothing.
  package func close() { fatalError("not yet") }

  /// Runs one or more statements without parameters or rows.
  package func execute(_ script: String) throws(SQLiteError) { fatalError("not yet") }

  /// The prepared statement of `sql`, from the cache, reset. `sql` must be a literal: values are bound, never spliced.
  ///
  /// One statement must not be used again before its rows have been read.
  package func statement(_ sql: StaticString) throws(SQLiteError) -> Statement { fatalError("not yet") }

  /// Runs `body` in `BEGIN IMMEDIATE … COMMIT`; rolls back and rethrows where it throws.
  ///
  /// When the *commit* throws, or `inDoubt` of its error is true, it is unknown whether the changes are durable: the owner
  /// closes, opens again and looks.
  package func write<Result>(_ body: () throws -> Result) throws -> Result { fatalError("not yet") }

  /// Runs `body` in a read transaction, so that all its statements see one state.
  package func read<Result>(_ body: () throws -> Result) throws -> Result { fatalError("not yet") }

  /// The rows that the last `INSERT`, `UPDATE` or `DELETE` changed.
  package var changedRows: Int { fatalError("not yet") }
  package var lastInsertedRowID: Int64 { fatalError("not yet") }
  /// Whether a transaction is open.
  package var isInTransaction: Bool { fatalError("not yet") }

  /// The pages in the write-ahead log after the last commit of this connection; 0 before one.
  package var logPages: Int { fatalError("not yet") }

  /// Copies what it can of the write-ahead log into the database without waiting for readers; true where it copied all.
  @discardableResult
  package func checkpoint() throws(SQLiteError) -> Bool { fatalError("not yet") }

  /// `PRAGMA quick_check`: what is wrong with the file, at most a hundred lines; empty is well.
  package func quickCheck() throws(SQLiteError) -> [String] { fatalError("not yet") }
}
