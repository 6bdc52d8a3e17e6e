import ServerCore
import ServerStoreSQLite
import TestSupport

/// The embedded store in a file of its own, in a folder that goes with it.
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

  /// The same file once more, as after a restart.
  func reopened() throws -> TestStore {
    store.close()
    return try TestStore(folder: folder)
  }

  /// Every byte of every file that the store keeps.
  func fileBytes() -> [UInt8] {
    listFolder(folder.path).flatMap { readFile(folder.path + "/" + $0) ?? [] }
  }
}
