import CSQLite
import PlantedBugs

/// How a database file is opened.
package struct ConnectionOptions: Sendable {
  /// The name of a registered SQLite VFS; nil is the default one.
  package var vfs: String?
  package var busyTimeoutMilliseconds: Int32 = 5000
  package var createsFile = true
  /// How much of the file is kept in memory; nil leaves it to SQLite, which keeps 2 MiB.
  package var cacheKibibytes: Int?
  /// For reading what is left of a damaged file: its journal mode is left as it is, and a file that is shorter than its
  /// header says, which SQLite would refuse as a whole, is read as far as it goes.
  package var isForSalvage = false
  package var access = Access.readWrite

  package enum Access: Sendable {
    case readWrite
    /// Writes nothing, not even beside the file, where the log and its shared memory are there already.
    case readOnly
    /// The same without a log. Nobody else may write the file meanwhile.
    case immutable
  }

  package init() {}
}

/// One connection to a database file, with its cache of prepared statements.
///
/// It is opened for several processes with a write-ahead log: `synchronous=FULL`, foreign keys on, defensive, an untrusted
/// schema, no automatic checkpoint and none on close, so that a checkpoint happens only where its owner calls for one.
///
/// Not thread-safe: its owner keeps it under a `Lock`. A statement may outlive it, and then
/// keeps the file open.
package final class Connection {
  private var handle: OpaquePointer?
  private var statements: [UInt: Statement] = [:]
  private let logSize = LogSize()
  private let rowChanges = RowChangeRecorder()
  private let busyTimeoutMilliseconds: Int32

  /// The path of a database that is of this connection alone and ends with it.
  package static let inMemory = ":memory:"

  /// Opens, and creates where `options` allow. Throws where the file cannot be opened or is not a database.
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
    guard !options.isForSalvage, options.access == .readWrite, !isInMemory else { return }
    // A hook of one's own takes the place of the automatic checkpoint.
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

  /// How long a transaction waits for another program's lock from now on.
  package func setBusyTimeout(milliseconds: Int) {
    // It fails only for a handle that is closed: then nothing waits.
    sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
  }

  /// Drops the statements and closes the file. Nothing else may be called afterwards; a second call does nothing.
  package func close() {
    statements = [:]
    // The second version waits for statements that somebody still holds.
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// Runs one or more statements without parameters or rows.
  package func execute(_ script: String) throws(SQLiteError) {
    guard sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else { throw SQLiteError(database: handle) }
  }

  /// The prepared statement of `sql`, from the cache, reset. `sql` must be a literal: values are bound, never spliced.
  ///
  /// One statement must not be used again before its rows have been read.
  package func statement(_ sql: StaticString) throws(SQLiteError) -> Statement {
    let key = UInt(bitPattern: sql.utf8Start)
    if let statement = statements[key] {
      statement.reset()
      return statement
    }
    let statement = try prepare(sql)
    statements[key] = statement
    return statement
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

  /// The rows that the last `INSERT`, `UPDATE` or `DELETE` changed.
  package var changedRows: Int { Int(sqlite3_changes64(handle)) }
  package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
  /// The tables in which this connection changed rows since this was last asked, also where that was rolled back.
  package func takeRowChanges() -> RowChanges { rowChanges.take() }
  /// Whether a transaction is open.
  package var isInTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

  /// The instructions that SQLite's machine has run for the statements of this connection since this was last asked.
  package func takeWork() -> Int {
    statements.values.reduce(0) { $0 + $1.takeWork() }
  }

  /// How SQLite finds the rows of each statement that was prepared so far, as `EXPLAIN QUERY PLAN` tells it: for tests.
  package func queryPlans() throws -> [(sql: String, lines: [String])] {
    try statements.values.map { statement in
      let plan = try prepare("EXPLAIN QUERY PLAN " + statement.sql, byteCount: -1)
      var lines: [String] = []
      while try plan.step() { lines.append(plan.text(3)) }
      return (statement.sql, lines)
    }
  }

  /// The pages in the write-ahead log, copied or not, after this connection's last commit or checkpoint; 0 before one.
  package var logPages: Int { Int(logSize.pages) }

  /// What a checkpoint does with the write-ahead log.
  package enum Checkpoint {
    /// Copies what it can into the database, without waiting for readers.
    case copying
    /// Copies it all and leaves a log of no bytes; waits so long for readers, and without success has copied what it could.
    case emptying(waitMilliseconds: Int32)
  }

  /// Copies the write-ahead log into the database; true where it copied all.
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

  /// `PRAGMA integrity_check`: what is wrong with the file, at most a hundred lines; empty where nothing is.
  package func integrityCheck() throws(SQLiteError) -> [String] {
    let check = try statement("PRAGMA integrity_check")
    var lines: [String] = []
    while try check.step() { lines.append(check.text(0)) }
    return lines == ["ok"] ? [] : lines
  }
}

/// What the last commit left in the write-ahead log.
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
