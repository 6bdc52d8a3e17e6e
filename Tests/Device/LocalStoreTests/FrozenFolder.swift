import Glibc
import TestSupport

/// Makes a folder immutable for its own lifetime: nobody, not even root, can add or remove a file in it.
final class FrozenFolder {
  // From <linux/fs.h>, whose macros Swift does not import.
  private static let getFlags: UInt = 0x8008_6601
  private static let setFlags: UInt = 0x4008_6602
  private static let immutable: CInt = 0x10

  private let folder: String

  /// Fails if the filesystem has no attributes, or this process may not set them.
  init?(_ folder: String) {
    self.folder = folder
    guard Self.change(folder, { $0 | Self.immutable }) else { return nil }
  }

  deinit {
    thaw()
  }

  func thaw() {
    _ = Self.change(folder) { $0 & ~Self.immutable }
  }

  static var isPossible: Bool {
    let folder = ScratchFolder(in: ScratchFolder.onDisk)
    return FrozenFolder(folder.path) != nil
  }

  private static func change(_ folder: String, _ change: (CInt) -> CInt) -> Bool {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var flags: CInt = 0
    guard ioctl(descriptor, getFlags, &flags) == 0 else { return false }
    flags = change(flags)
    return ioctl(descriptor, setFlags, &flags) == 0
  }
}
