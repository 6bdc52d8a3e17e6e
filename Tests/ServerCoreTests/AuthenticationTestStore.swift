import Foundation
import ServerCore
import ServerStoreSQLite

/// The embedded store in a file of its own, in a folder that goes with it.
final class TestStore: Sendable {
  let store: SQLiteServerStore
  private let folder: Folder

  convenience init() throws {
    try self.init(folder: Folder())
  }

  private init(folder: Folder) throws {
    self.folder = folder
    store = try SQLiteServerStore.open(path: folder.path + "/server.sqlite")
  }

  /// The same file once more, as after a restart.
  func reopened() throws -> TestStore {
    store.close()
    return try TestStore(folder: folder)
  }

  /// Every byte of every file that the store keeps.
  func fileBytes() throws -> [UInt8] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().flatMap {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + $0)))
    }
  }

  private final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "lifesignal-accounts-\(UUID().uuidString)"

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
      // What is left behind in the temporary folder does no harm.
      try? FileManager.default.removeItem(atPath: path)
    }
  }
}
