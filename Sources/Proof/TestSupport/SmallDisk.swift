import Glibc
package import SystemKit

/// A file system in memory that can be filled to the last page. It needs the right to mount.
package final class SmallDisk {
  package static let pageSize = 4096
  /// The folder at which it is mounted.
  package let path: String
  private let scratch: ScratchFolder?
  private var ballast: String { path + "/ballast" }

  /// Mounts a disk at `path`, or at a temporary folder. Returns nil if this process may not mount.
  package init?(at path: String? = nil, megabytes: Int) {
    scratch = path == nil ? ScratchFolder(in: ScratchFolder.onDisk) : nil
    self.path = path ?? scratch.map { $0.path + "/disk" } ?? ""
    mkdir(self.path, 0o700)
    guard mount("tmpfs", self.path, "tmpfs", UInt(MS_NOSUID | MS_NODEV), "size=\(megabytes)m,mode=700") == 0 else {
      return nil
    }
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  /// Fills the disk with a file so that `pages` pages are free.
  package func fill(leaving pages: Int = 0) throws(SystemError) {
    let file = open(ballast, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError(errno, "make \(ballast)") }
    defer { close(file) }
    let page = [UInt8](repeating: 7, count: Self.pageSize)
    while write(file, page, page.count) > 0 {}
    guard errno == ENOSPC else { throw SystemError(errno, "write \(ballast)") }
    guard pages > 0 else { return }
    let length = lseek(file, 0, SEEK_END) - off_t(pages * Self.pageSize)
    guard ftruncate(file, max(0, length)) == 0, length >= 0 else { throw SystemError(errno, "cut \(ballast)") }
  }

  /// Removes the file that fills the disk.
  package func empty() throws(SystemError) {
    guard unlink(ballast) == 0 else { throw SystemError(errno, "remove \(ballast)") }
  }

  /// Whether this process may mount a disk.
  package static var isPossible: Bool { SmallDisk(megabytes: 1) != nil }
}
