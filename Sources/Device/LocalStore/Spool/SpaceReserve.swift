import Glibc
import SystemKit

/// Room on the disk that is kept for the day it is full: enough for the spool to take an alert.
///
/// It is a file of zeros beside the store. Opening the store makes it where it is missing, and whoever finds the disk full
/// removes it and tries once more. It is best effort: another program may take the room first.
enum SpaceReserve {
  static let byteCount = 65_536

  /// Makes it unless it is there. A disk that has no room for it has none to keep.
  static func keep(in home: HomeDirectory) {
    guard !FileSystem.exists(home.reservePath) else { return }
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    guard let file = FileDescriptor(opening: home.reservePath, flags, permissions: 0o600) else { return }
    let isAllocated = posix_fallocate(file.number, 0, off_t(byteCount)) == 0
    file.close()
    if !isAllocated { unlink(home.reservePath) }
  }

  /// Gives the room back. Says whether there was any.
  static func release(in home: HomeDirectory) -> Bool { unlink(home.reservePath) == 0 }
}
