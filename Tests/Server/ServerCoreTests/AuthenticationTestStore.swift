import ServerCore
import ServerStoreSQLite
import TestSupport

/// The embedded store in its own file, in a folder that is deleted with it.
final class TestStore: Sendable {
  let store: SQLiteServerStore
  private let folder: ScratchFolder

  convenience init() throws {
    try self.init(folder: ScratchFolder(in: ScratchFolder.onDisk))
  }

  private init(folder: ScratchFolder) throws {
    self.folder = folder
    store = try SQLiteServerStore.open(path: folder.path + "/server.sqlite")
  }

  /// Opens the same file again, as after a restart.
  func reopened() throws -> TestStore {
    store.close()
    return try TestStore(folder: folder)
  }

  /// All bytes of all files of the store.
  func fileBytes() -> [UInt8] {
    listFolder(folder.path).flatMap { readFile(folder.path + "/" + $0) ?? [] }
  }
}
