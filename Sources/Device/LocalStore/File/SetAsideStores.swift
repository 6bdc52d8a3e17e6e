import Glibc

// The folders of damaged stores that were set aside. They hold what the store held: alerts, contacts, and the session of the account
// that was signed in then.
extension HomeDirectory {
  /// Their paths, oldest first; empty if the home cannot be read, which opening the store reports.
  package var setAsideStores: [String] {
    ((try? FileSystem.names(in: path)) ?? []).filter { $0.hasPrefix("damaged-") }.map { "\(path)/\($0)" }
  }

  /// Removes them with their contents.
  func removeSetAsideStores() throws(LocalStoreError) {
    for folder in setAsideStores {
      for name in try FileSystem.names(in: folder) { try FileSystem.remove("\(folder)/\(name)") }
      guard rmdir(folder) == 0 || errno == ENOENT else { throw LocalStoreError(errorNumber: errno, "remove \(folder)") }
    }
    try FileSystem.syncFolder(path)
  }
}
