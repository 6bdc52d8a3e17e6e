import Glibc
import LocalStore
import Synchronization
import TestSupport

/// A folder for this process alone, in memory if the system has such a place, for targets that read files.
final class ScratchHome: Sendable {
  static let shared = ScratchHome()

  private let folder = ScratchFolder(in: ScratchFolder.named + ScratchFolder.inMemory)

  var path: String { folder.path }
  var home: HomeDirectory { HomeDirectory(path: path) }

  init() {
    let isFirst = Self.made.withLock { paths in
      paths.append(path)
      return paths.count == 1
    }
    // Values that live as long as the process get no `deinit`.
    if isFirst { atexit { for path in ScratchHome.made.withLock({ $0 }) { removeTree(path) } } }
  }

  fileprivate static let made = Mutex<[String]>([])

  /// Empties the folder.
  func empty() {
    for name in listFolder(path) { removeTree(path + "/" + name) }
  }
}
