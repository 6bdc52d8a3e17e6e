import Glibc

extension HomeDirectory {
  /// A repaired store that is about to replace a damaged one.
  var replacementPath: String { databasePath + ".replacement" }
  var logPath: String { databasePath + "-wal" }
  var sharedMemoryPath: String { databasePath + "-shm" }

  /// Makes the folder if it is missing, removes other users' access, and refuses a network file system, a file, and a folder of
  /// something else that others use. Returns whether other users had access before.
  func prepare() throws(LocalStoreError) -> Bool {
    guard let status = try FileSystem.status(path) else {
      try FileSystem.makeFolder(path)
      try requireLocal()
      return false
    }
    guard status.isFolder else {
      throw LocalStoreError(.cannotOpen, "\(path) is not a folder: choose another --home")
    }
    try requireLocal()
    guard status.permissions & 0o077 != 0 else { return false }
    guard try isOwn() else {
      throw LocalStoreError(.cannotOpen, "\(path) holds other things, and others may read it: choose another --home")
    }
    try FileSystem.setPermissions(path, 0o700)
    return true
  }

  /// Makes the folder if it is missing, and refuses a network file system.
  package func create() throws(LocalStoreError) { _ = try prepare() }

  /// The absolute path without symbolic links; nil if there is no such folder.
  package var absolutePath: String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Removes other users' access to the store's files. SQLite creates its other files with the permissions of the
  /// first.
  func closeFilesToOthers() throws(LocalStoreError) {
    for path in [databasePath, logPath, sharedMemoryPath] where FileSystem.exists(path) {
      try FileSystem.setPermissions(path, 0o600)
    }
  }

  /// Whether the folder is empty or a device's: a typing mistake must not take a folder such as `/tmp` from everybody else.
  private func isOwn() throws(LocalStoreError) -> Bool {
    if [databasePath, storeLockPath, senderLockPath].contains(where: FileSystem.exists) { return true }
    return try FileSystem.names(in: path).allSatisfy { Self.ownNames.contains($0) }
  }

  /// What a device may have before its store. Also what the root of a disk has.
  private static let ownNames: Set = [
    spoolName, configurationName, wakeName, "reserve", "background.lock", "background-2.lock", "lost+found",
  ]

  private func requireLocal() throws(LocalStoreError) {
    guard try FileSystem.isRemote(path) else { return }
    throw LocalStoreError(
      .networkFilesystem,
      "network file systems are not safe: choose a local folder, not \(path)"
    )
  }
}
