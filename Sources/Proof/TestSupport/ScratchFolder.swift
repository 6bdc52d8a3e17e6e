import Glibc

/// A folder that is removed with the value.
///
/// A local value may be released before the end of its scope: use `with`, or keep it in something that lives on.
package final class ScratchFolder: Sendable {
  package let path: String

  /// - Parameter places: the candidate folders, best first.
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

  /// In memory if the machine has such a place, otherwise among the temporary files.
  package static var inMemory: [String] { ["/dev/shm"] + onDisk }

  /// In the folder for temporary files that the environment names.
  package static var onDisk: [String] { named + ["/tmp"] }

  /// The folder for temporary files that the environment names, if it does.
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
