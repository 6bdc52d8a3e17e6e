import Glibc
import SystemKit

/// The last timestamp that the holder of the sender's lease wrote into `sender.lock`.
package struct SenderStamp: Hashable, Sendable {
  package let processID: Int32
  /// The time by CLOCK_BOOTTIME, in the boot with the ID `bootID`.
  package let monotonicMilliseconds: Int64
  let bootID: String

  init(processID: Int32, monotonicMilliseconds: Int64) {
    self.processID = processID
    self.monotonicMilliseconds = monotonicMilliseconds
    bootID = Self.currentBootID
  }

  private init?(_ text: String) {
    let parts = text.split(whereSeparator: \.isWhitespace)
    guard parts.count == 3, let processID = Int32(parts[1]), let milliseconds = Int64(parts[2]) else { return nil }
    bootID = String(parts[0])
    self.processID = processID
    monotonicMilliseconds = milliseconds
  }

  var bytes: [UInt8] { Array("\(bootID) \(processID) \(monotonicMilliseconds)\n".utf8) }

  /// Reads the stamp. Returns nil if there is no valid one: nobody has held the lease, or an older program holds it.
  package static func read(_ home: HomeDirectory) -> SenderStamp? {
    guard let file = FileDescriptor(opening: home.senderLockPath, O_RDONLY | O_NOFOLLOW) else { return nil }
    return SenderStamp(String(decoding: file.read(upTo: 128), as: UTF8.self))
  }

  /// The time since it was written, in milliseconds; nil if it was written before this boot.
  package func age(atMonotonicMilliseconds now: Int64) -> Int64? {
    guard bootID == Self.currentBootID, now >= monotonicMilliseconds else { return nil }
    return now - monotonicMilliseconds
  }

  private static let currentBootID = KernelClock.bootID ?? "-"
}

extension HomeDirectory {
  /// Asks the lease's holder for a new stamp: sets the times of `sender.lock`, which the holder watches. It causes no
  /// network traffic.
  package func askForStamp() {
    _ = utimensat(AT_FDCWD, senderLockPath, nil, AT_SYMLINK_NOFOLLOW)
  }
}
