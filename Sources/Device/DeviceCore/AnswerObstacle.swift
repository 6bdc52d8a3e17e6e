import Glibc
package import LocalStore

/// Why a store that can be read may not be able to keep what the server answers, so that what it shows as not sent may have been.
package enum AnswerObstacle {
  /// How long others may keep the store busy before it counts as one.
  private static let writingLimitMilliseconds = 500
  /// A small write may have room where an answer has none: that is a page for each row and index that it changes.
  private static let leastFreeBytes: UInt64 = 1 << 20

  /// For a person; nil where there is none.
  package static func examine(_ store: LocalStore) -> String? {
    do throws(LocalStoreError) {
      try store.tryWriting(until: Deadline(millisecondsFromNow: writingLimitMilliseconds))
    } catch {
      return error.message
    }
    guard let free = freeBytes(store.home), free < leastFreeBytes else { return nil }
    return "the disk has room for only \(free >> 10) KiB"
  }

  /// What the home's disk has room for; nil where that cannot be told.
  static func freeBytes(_ home: HomeDirectory) -> UInt64? {
    var information = statvfs()
    guard statvfs(home.path, &information) == 0 else { return nil }
    return UInt64(information.f_bavail) * UInt64(information.f_frsize)
  }
}
