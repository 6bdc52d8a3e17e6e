import Glibc
import SystemKit

/// Disk space reserved for the spool, so that an alert can be saved on a full disk.
///
/// It is a file of zeros beside the store. Opening the store creates it if it is missing; a spool write that finds the disk full removes
/// it and retries. Best effort: another program may take the space first.
enum SpaceReserve {
  static let byteCount = 65_536

  /// Creates it unless it exists. Does nothing on a disk without room for it.
  static func keep(in home: HomeDirectory) {
    guard !FileSystem.exists(home.reservePath) else { return }
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    guard let file = FileDescriptor(opening: home.reservePath, flags, permissions: 0o600) else { return }
    let isAllocated = posix_fallocate(file.number, 0, off_t(byteCount)) == 0
    file.close()
    if !isAllocated { unlink(home.reservePath) }
  }

  /// Frees the space. False if there was none.
  static func release(in home: HomeDirectory) -> Bool { unlink(home.reservePath) == 0 }
}
