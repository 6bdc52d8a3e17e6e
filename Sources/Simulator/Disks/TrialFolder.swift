import Glibc

/// A folder that goes with the value: in memory where the machine has such a place, else among the temporary files.
package final class TrialFolder: Sendable {
  package let path: String

  package init() {
    let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(place)/lifesignal-trial-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { fatalError("no folder can be made in \(place): \(errno)") }
    path = String(cString: made)
  }

  deinit { Self.remove(path) }

  package static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Removes the file or folder with all that is in it.
  package static func remove(_ path: String) {
    if unlink(path) == 0 { return }
    for name in names(in: path) { remove("\(path)/\(name)") }
    rmdir(path)
  }
}
