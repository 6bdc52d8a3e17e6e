import Glibc
import TestSupport

/// The files of a store's folder, kept in memory, to begin trials from. What is shared memory is left out: it is gone when
/// nobody has the store open.
struct FolderImage: Sendable {
  private var files: [(path: String, bytes: [UInt8])] = []
  private var folders: [String] = []

  /// No files: a store that is made anew.
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

  /// Room that is kept on the disk says nothing.
  private static func isLeftOut(_ name: String) -> Bool { name.hasSuffix("-shm") || name == "reserve" }

  /// Makes the folder what it was.
  func restore(to folder: String) {
    for name in listFolder(folder) where name != "reserve" { removeTree("\(folder)/\(name)") }
    for name in folders { mkdir("\(folder)/\(name)", 0o700) }
    for file in files { writeFile(file.bytes, "\(folder)/\(file.path)") }
  }
}
