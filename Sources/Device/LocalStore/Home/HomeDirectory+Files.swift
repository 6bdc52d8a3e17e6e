extension HomeDirectory {
  /// A mended store that is about to take the place of a damaged one.
  var replacementPath: String { path + "/store.sqlite.replacement" }
  var logPath: String { databasePath + "-wal" }
  var sharedMemoryPath: String { databasePath + "-shm" }

  /// Makes the folder where it is missing, closes it to others, and refuses a network filesystem. True where it was open
  /// to others before.
  func prepare() throws(LocalStoreError) -> Bool {
    guard let status = try FileSystem.status(path) else {
      try FileSystem.makeFolder(path)
      try requireLocal()
      return false
    }
    try requireLocal()
    guard status.permissions & 0o077 != 0 else { return false }
    try FileSystem.setPermissions(path, 0o700)
    return true
  }

  /// SQLite gives its other files the permissions of the first.
  func closeFilesToOthers() throws(LocalStoreError) {
    for path in [databasePath, logPath, sharedMemoryPath] where FileSystem.exists(path) {
      try FileSystem.setPermissions(path, 0o600)
    }
  }

  private func requireLocal() throws(LocalStoreError) {
    guard try FileSystem.isRemote(path) else { return }
    throw LocalStoreError(
      .networkFilesystem,
      "\(path) lies on a network filesystem, where a store is not safe: choose a local folder"
    )
  }
}
