import Glibc
package import LocalStore
import SystemKit

/// Why a readable store may fail to record the server's answer, so that items it shows as unsent may have been sent.
package enum AnswerObstacle {
  /// How long others may lock the store before that counts as an obstacle.
  private static let writingLimitMilliseconds = 500
  /// The minimum free space. A small write may fit where an answer does not: an answer writes a page for each changed row and
  /// index.
  private static let leastFreeBytes: UInt64 = 1 << 20

  /// The obstacle, for a person; nil if there is none.
  package static func examine(_ store: LocalStore) -> String? {
    do throws(LocalStoreError) {
      try store.tryWriting(until: Deadline(millisecondsFromNow: writingLimitMilliseconds))
    } catch {
      return error.message
    }
    guard let free = Folder.freeBytes(at: store.home.path), free < leastFreeBytes else { return nil }
    return DeviceTexts.roomLeft(free >> 10)
  }
}
