import SQLiteKit
import TestSupport

/// A folder for one test, removed with this value.
final class TemporaryFolder {
  private let folder = ScratchFolder(in: ScratchFolder.onDisk)

  var path: String { folder.path }
  var databasePath: String { path + "/store.sqlite" }

  func connect(_ options: ConnectionOptions = ConnectionOptions()) throws -> Connection {
    try Connection(path: databasePath, options: options)
  }
}
