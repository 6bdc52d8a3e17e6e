import Glibc

/// Folders, by their paths.
package enum Folder {
  /// `.` for a name without a folder.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// How many bytes may still be written on the disk of what is at `path`; nil where that is unknown.
  package static func freeBytes(at path: String) -> UInt64? {
    var information = statvfs()
    guard statvfs(path, &information) == 0 else { return nil }
    return UInt64(information.f_bavail) * UInt64(information.f_frsize)
  }

  /// Makes the folder's entries durable.
  package static func sync(_ path: String, before: WholeFile.Hook? = nil) throws(SystemError) {
    try before?(.syncFolder(path))
    guard let folder = FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY) else {
      throw SystemError(errno, "open the folder \(path)")
    }
    guard fsync(folder.number) == 0 else { throw SystemError(errno, "sync the folder \(path)") }
  }

  /// The names in the folder, sorted; empty where there is no such folder.
  package static func names(in path: String) throws(SystemError) -> [String] {
    guard let folder = opendir(path) else {
      guard errno == ENOENT else { throw SystemError(errno, "read the folder \(path)") }
      return []
    }
    defer { closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw SystemError(errno, "read the folder \(path)") }
    return names.sorted()
  }
}
