import SQLiteKit
package import ServerCore
import SystemKit

/// Moves all that a store has to a store of another kind, while no server uses it.
///
/// Wherever it is interrupted, a server that is started here again finds the former store, or refuses to begin with an empty one.
package struct StoreMoving {
  private let path: String

  /// - Parameter path: of the store.
  package init(from path: String) { self.path = path }

  /// Calls `take` with the rows, of the newest schema. Then sets the files aside, so that no server goes on with them. Returns where they are.
  ///
  /// - Parameter date: names what is set aside.
  /// Throws where there is no store or an empty file, a server uses it, or `take` throws: then the files stay in use. Throws too where they
  /// cannot be set aside, and says what to do.
  package func move(date: String, _ take: (StoreRows) throws -> Void) throws(StorageError) -> [String] {
    do {
      // Opening makes one where there is none.
      _ = try StoreFiles(path)
      try SQLiteServerStore.open(path: path, updatesBeneathServers: false).close()
      let lock = try StoreFileLock(path: path + "-lock")
      return try lock.hold(limitMilliseconds: 5000) {
        guard try !lock.isUsedByAnother() else { throw SetAsideFiles.isUsed }
        try SetAsideFiles.takeAlone(path)
        try read(take)
        return try setAside(date)
      }
    } catch {
      throw StorageError(any: error)
    }
  }

  private func setAside(_ date: String) throws(StorageError) -> [String] {
    do {
      return try SetAsideFiles.move(path, to: "\(path).moved-\(date)")
    } catch {
      let failure = StorageError(any: error)
      throw StorageError(
        failure.code,
        "everything is in the new database now, but the file may still be in its place (\(failure.message)): move \(path) away, so that "
          + "no server goes on with it, and start the server with the new database")
    }
  }

  private func read(_ take: (StoreRows) throws -> Void) throws {
    var options = ConnectionOptions()
    options.createsFile = false
    options.access = .immutable
    let connection = try Connection(path: path, options: options)
    defer { connection.close() }
    guard try connection.integrityCheck().isEmpty else { throw StorageError(.damaged, "\(path) is damaged") }
    try take(try StoreRows(connection))
  }
}
