import CSQLite

/// What SQLite said when it could not do something.
///
/// The message is SQLite's own and may name tables and columns; it never holds a bound value.
package struct SQLiteError: Error, Hashable, Sendable {
  /// The extended result code, <https://www.sqlite.org/rescode.html>.
  package let extendedCode: Int32
  package let message: String
  /// The `errno` of the system call that failed, or 0.
  package let systemErrorNumber: Int32

  package init(extendedCode: Int32, message: String, systemErrorNumber: Int32 = 0) {
    self.extendedCode = extendedCode
    self.message = message
    self.systemErrorNumber = systemErrorNumber
  }

  /// Damage that SQLite itself did not see.
  package static func damage(_ message: String) -> Self { Self(extendedCode: SQLITE_CORRUPT, message: message) }

  /// The primary result code: the low byte of the extended one.
  package var code: Int32 { extendedCode & 0xFF }

  /// The file is not a database, or is one that was damaged.
  package var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }
  /// The statement does not fit the schema, or a row does not: where the program's statements and rows are as they should be,
  /// the schema is not.
  package var mayBeOfTheSchema: Bool { code == SQLITE_ERROR || isConstraint || isMismatch }
  package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
  package var isDiskFull: Bool { code == SQLITE_FULL }
  package var isReadOnly: Bool { code == SQLITE_READONLY || code == SQLITE_PERM || code == SQLITE_AUTH }
  package var isInputOutput: Bool { code == SQLITE_IOERR }
  package var isConstraint: Bool { code == SQLITE_CONSTRAINT }
  /// A value of another type than its column's.
  package var isMismatch: Bool { code == SQLITE_MISMATCH }
  package var isCannotOpen: Bool { code == SQLITE_CANTOPEN }
}

extension SQLiteError {
  /// What the last call on `database` said.
  init(database: OpaquePointer?) {
    guard let database else {
      self.init(extendedCode: SQLITE_NOMEM, message: "out of memory")
      return
    }
    self.init(
      extendedCode: sqlite3_extended_errcode(database),
      message: String(cString: sqlite3_errmsg(database)),
      systemErrorNumber: sqlite3_system_errno(database)
    )
  }
}

/// A transaction whose end SQLite could not bring about: whether its changes are durable is unknown.
///
/// The owner closes the connection, opens another and looks.
package struct CommitFailure: Error, Hashable, Sendable {
  package let error: SQLiteError
}
