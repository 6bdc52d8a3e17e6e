import CSQLite
import PlantedBugs

/// How a database file is opened.
package struct ConnectionOptions: Sendable {
  /// The name of a registered SQLite VFS; nil for the default one.
  package var vfs: String?
  package var busyTimeoutMilliseconds: Int32 = 5000
  package var createsFile = true
  /// The size of the page cache; nil for SQLite's default, 2 MiB.
  package var cacheKibibytes: Int?
  /// Keeps in memory what SQLite otherwise writes to temporary files, such as the pages that a savepoint changes.
  package var keepsTemporariesInMemory = false
  /// Opens a damaged file to read what is left of it: keeps its journal mode, and reads a file that is shorter than its header says as
  /// far as it goes. SQLite would refuse the whole file otherwise.
  package var isForSalvage = false
  package var access = Access.readWrite

  package enum Access: Sendable {
    case readWrite
    /// Writes nothing, not even beside the file, if the log and its shared memory exist already.
    case readOnly
    /// The same, without a log. No other process may write the file meanwhile.
    case immutable
  }

  package init() {}
}

/// One connection to a database file, with its cache of prepared statements.
///
/// Several processes may open the file: it has a write-ahead log, `synchronous=FULL`, foreign keys, defensive mode and an untrusted schema.
/// There is no automatic checkpoint, and none on close: its owner calls `checkpoint`.
///
/// Not thread-safe: its owner keeps it under a `Lock`. A statement that outlives it keeps the file open.
package final class Connection {
  private var handle: OpaquePointer?
  private var cache = StatementCache()
  private let logSize = LogSize()
  private let rowChanges = RowChangeRecorder()
  private let busyTimeoutMilliseconds: Int32

  /// Makes SQLite fast and small, in the whole process: pages are allocated when they are needed, and nothing counts the memory, for which
  /// each allocation would take a lock. For a program that is our own and has opened no database yet; later it does nothing.
  package static func startSmall() {
    lifesignal_sqlite3_start_small()
  }

  /// The path of a private database in memory, which ends with the connection.
  package static let inMemory = ":memory:"

  /// Opens the file, or creates it if `options` allow. Throws if the file cannot be opened or is not a database.
  package init(path: String, options: ConnectionOptions = ConnectionOptions()) throws(SQLiteError) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    flags |= options.access == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
    if options.createsFile { flags |= SQLITE_OPEN_CREATE }
    if options.access == .immutable { flags |= SQLITE_OPEN_URI }
    busyTimeoutMilliseconds = options.busyTimeoutMilliseconds
    let name = options.access == .immutable ? Self.immutableURI(path) : path
    let code = sqlite3_open_v2(name, &handle, flags, options.vfs)
    do throws(SQLiteError) {
      guard code == SQLITE_OK else { throw SQLiteError(database: handle) }
      try configure(options, isInMemory: path == Self.inMemory)
    } catch {
      close()
      throw error
    }
  }

  deinit {
    close()
  }

  private static func immutableURI(_ path: String) -> String {
    let escapes: [Character: String] = ["%": "%25", "?": "%3f", "#": "%23"]
    return "file:" + path.map { escapes[$0] ?? String($0) }.joined() + "?immutable=1"
  }

  private func configure(_ options: ConnectionOptions, isInMemory: Bool) throws(SQLiteError) {
    let strictness =
      options.isForSalvage ? lifesignal_sqlite3_writable_schema(handle) : lifesignal_sqlite3_defensive(handle)
    guard strictness == SQLITE_OK,
      sqlite3_busy_timeout(handle, options.busyTimeoutMilliseconds) == SQLITE_OK,
      lifesignal_sqlite3_no_checkpoint_on_close(handle) == SQLITE_OK,
      lifesignal_sqlite3_enforce_foreign_keys(handle) == SQLITE_OK,
      lifesignal_sqlite3_distrust_schema(handle) == SQLITE_OK
    else { throw SQLiteError(database: handle) }
    if let kibibytes = options.cacheKibibytes { try execute("PRAGMA cache_size = -\(kibibytes)") }
    if options.keepsTemporariesInMemory { try execute("PRAGMA temp_store = MEMORY") }
    guard !options.isForSalvage, options.access == .readWrite, !isInMemory else { return }
    // The hook replaces the automatic checkpoint.
    sqlite3_wal_hook(handle, noteLogSize, Unmanaged.passUnretained(logSize).toOpaque())
    rowChanges.observe(handle)
    try execute(PlantedBug.walWithNormal.isPlanted ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL")
    let mode = try statement("PRAGMA journal_mode = WAL")
    guard try mode.step() else { throw SQLiteError(database: handle) }
    let name = mode.text(0)
    mode.reset()
    guard name == "wal" else {
      throw SQLiteError(extendedCode: SQLITE_CANTOPEN, message: "the write-ahead log cannot be used here")
    }
  }

  /// Sets how long a transaction waits for another process's lock.
  package func setBusyTimeout(milliseconds: Int) {
    // Fails only after close().
    sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
  }

  /// Finalizes the statements and closes the file. No other function may be called afterwards; a second call does nothing.
  package func close() {
    cache.removeAll()
    // Version 2 keeps the file open until statements that are still held are gone.
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Runs one or more statements without parameters or rows.
  package func execute(_ script: String) throws(SQLiteError) {
    guard sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else { throw SQLiteError(database: handle) }
  }

  /// The prepared statement of `sql`, from the cache, reset. `sql` is a literal: values are bound, never spliced.
  ///
  /// Do not run a statement again while its rows are being read.
  package func statement(_ sql: StaticString) throws(SQLiteError) -> Statement {
    if let statement = cache[sql] {
      statement.reset()
      return statement
    }
    let statement = try prepare(sql)
    cache.add(statement, for: sql)
    return statement
  }

  /// The same for a text that is put together from names of the schema, and not kept. Values are bound here too.
  package func statement(ofNames sql: String) throws(SQLiteError) -> Statement {
    var text = sql
    do {
      return try text.withUTF8 { bytes in
        try bytes.withMemoryRebound(to: CChar.self) { bytes in
          guard let start = bytes.baseAddress else { throw SQLiteError.misuse("an empty statement") }
          return try prepare(start, byteCount: bytes.count)
        }
      }
    } catch let error as SQLiteError {
      throw error
    } catch {
      throw .misuse("a statement cannot be prepared")
    }
  }

  private func prepare(_ sql: StaticString) throws(SQLiteError) -> Statement {
    try sql.utf8Start.withMemoryRebound(to: CChar.self, capacity: sql.utf8CodeUnitCount) {
      text throws(SQLiteError) in try prepare(text, byteCount: sql.utf8CodeUnitCount)
    }
  }

  private func prepare(_ text: UnsafePointer<CChar>, byteCount: Int) throws(SQLiteError) -> Statement {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, text, Int32(byteCount), UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let handle else { throw SQLiteError(database: handle) }
    guard let prepared else { throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "an empty statement") }
    return Statement(database: handle, handle: prepared)
  }

  /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed.
  package var changedRows: Int { Int(sqlite3_changes64(handle)) }
  /// The tables in which this connection changed rows since the last call, including changes that were rolled back.
  package func takeRowChanges() -> RowChanges { rowChanges.take() }
  /// Whether a transaction is open.
  package var isInTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

  /// The number of instructions of SQLite's virtual machine that this connection has run since the last call.
  package func takeWork() -> Int {
    cache.statements.reduce(0) { $0 + $1.takeWork() }
  }

  /// The query plan of each statement that was prepared so far, by `EXPLAIN QUERY PLAN`. For tests.
  package func queryPlans() throws -> [(sql: String, lines: [String])] {
    try cache.statements.map { statement in
      let plan = try prepare("EXPLAIN QUERY PLAN " + statement.sql, byteCount: -1)
      var lines: [String] = []
      while try plan.step() { lines.append(plan.text(3)) }
      return (statement.sql, lines)
    }
  }

  /// The number of pages in the write-ahead log, copied or not, after this connection's last commit or checkpoint; 0 before the first.
  package var logPages: Int { Int(logSize.pages) }

  /// The kinds of checkpoint.
  package enum Checkpoint {
    /// Copies what it can into the database, without waiting for readers (SQLite's `PASSIVE`).
    case copying
    /// Copies everything and truncates the log; waits that long for readers, then copies what it can (SQLite's `TRUNCATE`).
    case emptying(waitMilliseconds: Int32)
  }

  /// Copies the write-ahead log into the database; true if it copied everything.
  @discardableResult
  package func checkpoint(_ depth: Checkpoint = .copying) throws(SQLiteError) -> Bool {
    guard case .emptying(let waitMilliseconds) = depth else { return try checkpoint(SQLITE_CHECKPOINT_PASSIVE) }
    sqlite3_busy_timeout(handle, waitMilliseconds)
    defer { sqlite3_busy_timeout(handle, busyTimeoutMilliseconds) }
    return try checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
  }

  private func checkpoint(_ mode: Int32) throws(SQLiteError) -> Bool {
    var pages: Int32 = 0
    var copied: Int32 = 0
    guard sqlite3_wal_checkpoint_v2(handle, nil, mode, &pages, &copied) == SQLITE_OK else {
      throw SQLiteError(database: handle)
    }
    logSize.pages = pages
    return pages == copied
  }

  /// What `PRAGMA integrity_check` finds wrong with the file, at most a hundred lines; empty if it is sound.
  package func integrityCheck() throws(SQLiteError) -> [String] {
    let lines = try statement("PRAGMA integrity_check").rows { row in try row["integrity_check", as: String.self] }
    return lines == ["ok"] ? [] : lines
  }
}

/// The size of the write-ahead log after the last commit.
private final class LogSize {
  var pages: Int32 = 0
}

/// SQLite calls this after each commit, on the thread that committed.
private func noteLogSize(
  _ context: UnsafeMutableRawPointer?, _ database: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ pages: Int32
) -> Int32 {
  if let context { Unmanaged<LogSize>.fromOpaque(context).takeUnretainedValue().pages = pages }
  return SQLITE_OK
}
