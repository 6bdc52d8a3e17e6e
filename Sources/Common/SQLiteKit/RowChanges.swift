import CSQLite

/// The rows that a connection changed in tables with a rowid, by table.
///
/// SQLite tells of no change in a table without a rowid, and of none by a `DELETE` without a condition.
package struct RowChanges: Hashable, Sendable {
  /// Tables with rows that were added.
  package private(set) var added: Set<String> = []
  /// Tables with rows that were updated or deleted.
  package private(set) var changed: Set<String> = []

  fileprivate mutating func note(_ operation: Int32, in table: String) {
    if operation == SQLITE_INSERT { added.insert(table) } else { changed.insert(table) }
  }
}

/// Keeps them for a connection. Called on the thread that uses the connection.
final class RowChangeRecorder {
  private var changes = RowChanges()
  /// Rows come in runs of the same kind: one is told once.
  private var last: (operation: Int32, table: UnsafePointer<CChar>)?

  /// Begins to record what `database` changes. The recorder must outlive that.
  func observe(_ database: OpaquePointer?) {
    _ = sqlite3_update_hook(database, noteRowChange, Unmanaged.passUnretained(self).toOpaque())
  }

  /// What was recorded since the last call.
  func take() -> RowChanges {
    defer {
      changes = RowChanges()
      last = nil
    }
    return changes
  }

  fileprivate func note(_ operation: Int32, _ table: UnsafePointer<CChar>) {
    if let last, last.operation == operation, last.table == table { return }
    last = (operation, table)
    changes.note(operation, in: String(cString: table))
  }
}

/// SQLite calls this for each row, before the transaction ends.
private func noteRowChange(
  _ context: UnsafeMutableRawPointer?, _ operation: Int32, _ database: UnsafePointer<CChar>?,
  _ table: UnsafePointer<CChar>?, _ row: sqlite3_int64
) {
  guard let context, let table else { return }
  Unmanaged<RowChangeRecorder>.fromOpaque(context).takeUnretainedValue().note(operation, table)
}
