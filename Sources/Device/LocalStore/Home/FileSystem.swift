import CLinux
import Glibc
import SystemKit

/// The file system calls of the store, with `LocalStoreError` for errors.
///
/// It never opens the database or its log: closing any descriptor of such a file would release SQLite's locks on it,
/// which belong to the process (<https://www.sqlite.org/howtocorrupt.html>, §2.2).
enum FileSystem {
  /// Identifies a file, also after another file took its name.
  struct Identity: Hashable, Sendable {
    let device: UInt
    let inode: UInt
  }

  struct Status {
    let identity: Identity
    let byteCount: Int
    let permissions: mode_t
    let isFolder: Bool
  }

  /// Returns nil if there is no such file. It follows symbolic links.
  static func status(_ path: String) throws(LocalStoreError) -> Status? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw LocalStoreError(errorNumber: errno, "read \(path)") }
      return nil
    }
    return Status(
      identity: Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino)),
      byteCount: Int(status.st_size),
      permissions: status.st_mode & 0o7777,
      isFolder: status.st_mode & S_IFMT == S_IFDIR
    )
  }

  static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  /// Whether there is a file, as far as it can be told. Throws if the permissions of its folder let nothing in it be reached.
  static func mayExist(_ path: String) throws(LocalStoreError) -> Bool {
    var status = stat()
    guard stat(path, &status) != 0 else { return true }
    guard errno != EACCES else {
      throw LocalStoreError(errorNumber: EACCES, "read the folder \(Folder.parent(of: path))")
    }
    return errno != ENOENT && errno != ENOTDIR
  }

  /// Makes the folder and its parents, and syncs them to disk. Only the owner may read them, whatever the umask is.
  static func makeFolder(_ path: String, on disk: (any PlainDisk)? = nil) throws(LocalStoreError) {
    if let disk, !exists(path) {
      try LocalStoreError.mapping { () throws(SystemError) in try disk.will(.makeFolder(path)) }
    }
    if mkdir(path, 0o700) != 0 {
      if errno == EEXIST { return }
      let parent = Folder.parent(of: path)
      guard errno == ENOENT, parent != path else {
        throw LocalStoreError(errorNumber: errno, "make the folder \(path)")
      }
      try makeFolder(parent)
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw LocalStoreError(errorNumber: errno, "make the folder \(path)")
      }
    }
    try setPermissions(path, 0o700)
    try syncFolder(Folder.parent(of: path))
  }

  static func setPermissions(_ path: String, _ permissions: mode_t) throws(LocalStoreError) {
    guard chmod(path, permissions) == 0 else {
      throw LocalStoreError(errorNumber: errno, "set the permissions of \(path)")
    }
  }

  /// Makes an empty file of mode 0600 without opening it, unless it exists.
  static func makeFile(_ path: String) throws(LocalStoreError) {
    guard mknod(path, S_IFREG | 0o600, 0) == 0 else {
      guard errno == EEXIST else { throw LocalStoreError(errorNumber: errno, "make \(path)") }
      return
    }
    try setPermissions(path, 0o600)
  }

  static func rename(_ old: String, to new: String) throws(LocalStoreError) {
    guard Glibc.rename(old, new) == 0 else { throw LocalStoreError(errorNumber: errno, "rename \(old)") }
  }

  /// Removes the file if it exists.
  static func remove(_ path: String, on disk: (any PlainDisk)? = nil) throws(LocalStoreError) {
    try LocalStoreError.mapping { () throws(SystemError) in try WholeFile.remove(path, before: disk?.hook) }
  }

  /// Syncs the folder's entries to disk.
  static func syncFolder(_ path: String, on disk: (any PlainDisk)? = nil) throws(LocalStoreError) {
    try LocalStoreError.mapping { () throws(SystemError) in try Folder.sync(path, before: disk?.hook) }
  }

  /// Returns the names in the folder, sorted; empty if there is no such folder.
  static func names(in path: String) throws(LocalStoreError) -> [String] {
    try LocalStoreError.mapping { () throws(SystemError) in try Folder.names(in: path) }
  }

  /// Whether the folder is on a file system whose locks, shared memory or syncs are unreliable: a network file system,
  /// or any FUSE file system. Most FUSE file systems are network ones, and statfs(2) does not say which.
  static func isRemote(_ path: String) throws(LocalStoreError) -> Bool {
    var type: UInt32 = 0
    guard lifesignal_filesystem_type(path, &type) == 0 else {
      throw LocalStoreError(errorNumber: errno, "read \(path)")
    }
    return remoteTypes.contains(type)
  }

  /// From statfs(2) and linux/magic.h: NFS, SMB, CIFS, SMB2, AFS (two), 9P, Ceph, Coda, NCP, FUSE, OCFS2, GFS2, Lustre.
  static let remoteTypes: [UInt32] = [
    0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F, 0x6B41_4653, 0x0102_1997, 0x00C3_6400, 0x7375_7245,
    0x564C, 0x6573_5546, 0x7461_636F, 0x0116_1970, 0x0BD0_0BD0,
  ]
}
