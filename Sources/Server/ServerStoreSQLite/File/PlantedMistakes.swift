import SQLiteKit

// What the planted bugs do where it takes more than a line. Nothing else calls these functions, so a release does not have them.

extension Connection {
  /// Commits what was answered before, and leaves what `body` does to be committed by the next call.
  func writeLate<Result>(_ body: () throws -> Result) throws -> Result {
    try commitLate()
    try statement("BEGIN IMMEDIATE").run()
    do {
      return try body()
    } catch {
      if isInTransaction { try statement("ROLLBACK").run() }
      throw error
    }
  }

  func commitLate() throws {
    if isInTransaction { try statement("COMMIT").run() }
  }
}

extension SQLiteServerStore {
  func commitLate() throws {
    try writer.use { transaction in
      try lock.hold { try transaction.connection.commitLate() }
    }
  }
}
