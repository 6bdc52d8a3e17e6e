import Glibc
import SystemKit

/// A file that is being written, in the folder of the one that it becomes. Its name tells whose it is, so that the next command removes what
/// a killed one left.
enum PartialFile {
  private static let beginning = ".lifesignal-partial-"

  /// Where this process writes what becomes `target`. Nothing is there.
  static func path(for target: String) -> String {
    let folder = Folder.parent(of: target)
    removeAbandoned(in: folder)
    let path = "\(folder)/\(beginning)\(getpid())"
    remove(path)
    return path
  }

  /// With what SQLite puts beside it.
  static func remove(_ path: String) {
    for end in ["", "-journal", "-wal", "-shm"] { unlink(path + end) }
  }

  private static func removeAbandoned(in folder: String) {
    // A folder that cannot be read is told by what comes next.
    for name in (try? Folder.names(in: folder)) ?? [] where name.hasPrefix(beginning) {
      guard let process = Int32(name.dropFirst(beginning.count)), kill(process, 0) != 0, errno == ESRCH else {
        continue
      }
      remove("\(folder)/\(name)")
    }
  }
}
