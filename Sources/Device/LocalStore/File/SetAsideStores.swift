import Glibc

// The folders of damaged stores that were set aside. They hold what the store held: alerts, contacts, and the session of whoever
// was signed in then.
extension HomeDirectory {
  /// Their paths, oldest first; empty where the home cannot be read, which whoever opens the store is told of.
  package var setAsideStores: [String] {
    ((try? FileSystem.names(in: path)) ?? []).filter { $0.hasPrefix("damaged-") }.map { "\(path)/\($0)" }
  }

  /// Removes them with all that is in them.
  func removeSetAsideStores() throws(LocalStoreError) {
    for folder in setAsideStores {
      for name in try FileSystem.names(in: folder) { try FileSystem.remove("\(folder)/\(name)") }
      guard rmdir(folder) == 0 || errno == ENOENT else { throw LocalStoreError(errorNumber: errno, "remove \(folder)") }
    }
    try FileSystem.syncFolder(path)
  }
}
