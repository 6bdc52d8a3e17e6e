import Glibc

/// A folder that goes with the value, and all that is in it with it.
///
/// Where the value is a local one, the folder may go before the end of its scope: use `with`, or keep it in something that lives on.
package final class ScratchFolder: Sendable {
  package let path: String

  /// - Parameter places: the folders in which it may be, the best first.
  package init(in places: [String] = inMemory) {
    for place in places {
      var template = Array("\(place)/lifesignal-XXXXXX".utf8CString)
      guard let made = mkdtemp(&template) else { continue }
      path = String(cString: made)
      return
    }
    fatalError("there is no folder for temporary files: errno \(errno)")
  }

  deinit { removeTree(path) }

  /// In memory where the machine has such a place, else among the temporary files.
  package static var inMemory: [String] { ["/dev/shm"] + onDisk }

  /// Among the temporary files, wherever the environment says that these are.
  package static var onDisk: [String] { named + ["/tmp"] }

  /// Where the environment says that temporary files are, if it does.
  package static var named: [String] {
    guard let value = getenv("TMPDIR") else { return [] }
    let folder = String(cString: value)
    return folder.isEmpty ? [] : [folder]
  }

  /// Runs `body` with the path of a new folder, which is removed afterwards.
  package static func with<Result>(_ body: (String) throws -> Result) rethrows -> Result {
    let folder = ScratchFolder()
    return try withExtendedLifetime(folder) { try body(folder.path) }
  }
}
