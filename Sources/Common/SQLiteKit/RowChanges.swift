import CSQLite

/// The rows that a connection changed in tables with a rowid, by table.
///
/// SQLite reports no changes in tables without a rowid, and none by a `DELETE` without a condition.
package struct RowChanges: Hashable, Sendable {
  /// Tables with rows that were added, each once.
  package private(set) var added: [String] = []
  /// Tables with rows that were updated or deleted, each once.
  package private(set) var changed: [String] = []

  fileprivate mutating func note(_ operation: Int32, in table: String) {
    if operation == SQLITE_INSERT {
      if !added.contains(table) { added.append(table) }
    } else if !changed.contains(table) {
      changed.append(table)
    }
  }
}

/// Records the changes of a connection, on the thread that uses the connection.
final class RowChangeRecorder {
  private var changes = RowChanges()
  /// The last change, to skip the others of a run of the same kind.
  private var last: (operation: Int32, table: UnsafePointer<CChar>)?

  /// Starts recording the changes of `database`. The recorder must outlive it.
  func observe(_ database: OpaquePointer?) {
    _ = sqlite3_update_hook(database, noteRowChange, Unmanaged.passUnretained(self).toOpaque())
  }

  /// The changes since the last call.
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
