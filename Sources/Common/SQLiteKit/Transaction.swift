extension Connection {
  /// Runs `body` in `BEGIN IMMEDIATE … COMMIT`; rolls back and rethrows if it throws.
  ///
  /// Throws `CommitFailure` if the transaction could be neither committed nor rolled back: then it is unknown whether the changes are
  /// durable. The owner closes the connection, opens another and checks.
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

  /// Does nothing if SQLite has rolled back by itself, as it does after some errors.
  private func rollBack() throws(CommitFailure) {
    guard isInTransaction else { return }
    do throws(SQLiteError) {
      try statement("ROLLBACK").run()
    } catch {
      throw CommitFailure(error: error)
    }
  }
}
