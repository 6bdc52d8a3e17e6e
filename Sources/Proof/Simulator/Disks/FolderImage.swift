import Glibc
import TestSupport

/// A copy of a store folder's files in memory, from which trials start. Shared memory is left out: it does not survive the last
/// close.
struct FolderImage: Sendable {
  private var files: [(path: String, bytes: [UInt8])] = []
  private var folders: [String] = []

  /// No files: the store will be created.
  init() {}

  init(of folder: String) {
    read(folder, "")
  }

  private mutating func read(_ folder: String, _ prefix: String) {
    for name in listFolder(folder + "/" + prefix) where !Self.isLeftOut(name) {
      var status = stat()
      guard lstat("\(folder)/\(prefix)\(name)", &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        folders.append(prefix + name)
        read(folder, "\(prefix)\(name)/")
      } else {
        files.append((prefix + name, readFile("\(folder)/\(prefix)\(name)") ?? []))
      }
    }
  }

  /// The reserve's contents mean nothing.
  private static func isLeftOut(_ name: String) -> Bool { name.hasSuffix("-shm") || name == "reserve" }

  /// Restores the folder.
  func restore(to folder: String) {
    for name in listFolder(folder) where name != "reserve" { removeTree("\(folder)/\(name)") }
    for name in folders { mkdir("\(folder)/\(name)", 0o700) }
    for file in files { writeFile(file.bytes, "\(folder)/\(file.path)") }
  }
}
