import Glibc
import SQLiteKit

/// A folder of a test's own, removed with the value.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/lifesignal-sqlitekit-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemError(code: errno) }
    path = String(cString: made)
  }

  deinit {
    for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  var databasePath: String { path + "/store.sqlite" }

  func connect(_ options: ConnectionOptions = ConnectionOptions()) throws -> Connection {
    try Connection(path: databasePath, options: options)
  }
}

struct SystemError: Error {
  let code: Int32
}
