extension Connection {
  /// Runs `body` in `BEGIN IMMEDIATE … COMMIT`; rolls back and rethrows where it throws.
  ///
  /// Throws `CommitFailure` where the transaction could not be ended, one way or the other: then it is unknown whether
  /// the changes are durable, and the owner closes the connection, opens another and looks.
  package func write<Result>(_ body: () throws -> Result) throws -> Result {
    try transaction("BEGIN IMMEDIATE", body)
  }

  /// Runs `body` in a read transaction, so that all its statements see one state.
  package func read<Result>(_ body: () throws -> Result) throws -> Result {
    try transaction("BEGIN", body)
  }

  private func transaction<Result>(_ begin: StaticString, _ body: () throws -> Result) throws -> Result {
    try statement(begin).run()
    let result: Result
    do {
      result = try body()
    } catch {
      try rollBack()
      throw error
    }
    do throws(SQLiteError) {
      try statement("COMMIT").run()
    } catch {
      throw CommitFailure(error: error)
    }
    return result
  }

  /// SQLite has rolled back by itself after some errors; then there is nothing to do.
  private func rollBack() throws(CommitFailure) {
    guard isInTransaction else { return }
    do throws(SQLiteError) {
      try statement("ROLLBACK").run()
    } catch {
      throw CommitFailure(error: error)
    }
  }
}
