import CSQLite
import Glibc

/// An error of SQLite.
///
/// The message is SQLite's own and may name tables and columns; it never contains a bound value.
@usableFromInline
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

  /// A mistake in the program.
  package static func misuse(_ message: String) -> Self { Self(extendedCode: SQLITE_MISUSE, message: message) }

  /// A row holds what nobody stored, in a file that SQLite finds whole.
  @usableFromInline package static func unreadableValue(of column: StaticString) -> Self {
    Self(extendedCode: unreadableValueCode, message: "a stored value cannot be read: \(column)")
  }

  /// SQLite has no such extended code of `SQLITE_CORRUPT`.
  private static let unreadableValueCode = SQLITE_CORRUPT | 0xFF00

  /// The primary result code: the low byte of the extended one.
  package var code: Int32 { extendedCode & 0xFF }
}

// What callers decide by.
extension SQLiteError {
  /// The one reading of SQLite's codes that every store shares.
  package enum Kind: Hashable, Sendable {
    /// The file is not a database, or is a damaged one.
    case damaged
    /// One value is damaged: the file is whole, and its other rows can be read.
    case unreadableValue
    /// Another connection has the lock, longer than the timeout.
    case busy
    case diskFull
    case readOnly
    case inputOutput
    case cannotOpen
    case other
  }

  /// Where SQLite only says that a system call failed, the call's `errno` says why.
  package var kind: Kind {
    switch code {
    case SQLITE_CORRUPT: isUnreadableValue ? .unreadableValue : .damaged
    case SQLITE_NOTADB: .damaged
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_FULL: .diskFull
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
    case SQLITE_IOERR: isOutOfSpace ? .diskFull : .inputOutput
    case SQLITE_CANTOPEN where isOutOfSpace: .diskFull
    case SQLITE_CANTOPEN: [EROFS, EACCES].contains(systemErrorNumber) ? .readOnly : .cannotOpen
    default: .other
    }
  }

  private var isOutOfSpace: Bool { [ENOSPC, EDQUOT].contains(systemErrorNumber) }

  /// The file is not a database, or is a damaged one.
  package var isDamage: Bool { kind == .damaged }
  /// A row holds what nobody stored.
  package var isUnreadableValue: Bool { extendedCode == Self.unreadableValueCode }
  package var isConstraint: Bool { code == SQLITE_CONSTRAINT }
  /// A value of another type than its column's.
  package var isMismatch: Bool { code == SQLITE_MISMATCH }
  /// The statement does not match the schema, or a row does not: where the program's statements and rows are right, the schema is
  /// damaged.
  package var mayBeOfTheSchema: Bool { code == SQLITE_ERROR || isConstraint || isMismatch }
  /// After such an error the connection is not to be trusted: the disk failed, or what it holds did.
  package var isOfDisk: Bool {
    switch kind {
    case .damaged, .diskFull, .readOnly, .inputOutput, .cannotOpen: true
    case .unreadableValue, .busy, .other: false
    }
  }
}

extension SQLiteError {
  /// The error of the last call on `database`.
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

/// A transaction that SQLite could neither commit nor roll back: whether its changes are durable is unknown.
///
/// The owner closes the connection, opens another and checks.
package struct CommitFailure: Error, Hashable, Sendable {
  package let error: SQLiteError
}
