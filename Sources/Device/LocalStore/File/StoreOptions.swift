import Glibc
package import SystemKit

/// The dependencies and limits of a store.
package struct StoreOptions: Sendable {
  /// The name of a registered SQLite VFS; nil is the default one. Fault tests use their own.
  package var vfs: String?
  /// 128 random bits, for ids.
  package var random: @Sendable () -> (UInt64, UInt64)
  /// The timeout for another process that writes.
  package var lockTimeoutMilliseconds: Int
  /// The timeout for raising an alert, all its waits together; then the alert goes to the spool.
  package var activationTimeoutMilliseconds: Int
  /// The number of pages in the write-ahead log at which a commit is followed by a checkpoint.
  package var checkpointPages: Int
  /// Folders in memory for alerts that were raised while the home was not writable.
  package var memoryFolders: [String] = []
  /// The number of alerts that one transaction queues again for a restored server.
  package var resubmissionStep = 50
  /// Called after each write transaction with the work done under the lock, in instructions of SQLite's virtual machine. Only tests
  /// set it.
  package var noteWork: (@Sendable (Int) -> Void)?
  /// Asked before each step of setting a damaged store aside, and throws where the process is to die there. Only tests set it.
  var willChangeStoreFile: (@Sendable (StoreFileStep) throws(LocalStoreError) -> Void)?
  /// False behaves as on a file system without hard links, such as FAT. Only tests set it.
  var fileSystemHasLinks = true

  /// The number of pages that may stay in the log while no process has the store open: the next opener reads them all.
  package var restingLogPages: Int { min(128, checkpointPages) }

  package init(
    vfs: String? = nil, random: @escaping @Sendable () -> (UInt64, UInt64), lockTimeoutMilliseconds: Int = 10_000,
    activationTimeoutMilliseconds: Int = 2000, checkpointPages: Int = 1000
  ) {
    self.vfs = vfs
    self.random = random
    self.lockTimeoutMilliseconds = lockTimeoutMilliseconds
    self.activationTimeoutMilliseconds = activationTimeoutMilliseconds
    self.checkpointPages = checkpointPages
  }

  /// The deadline for raising an alert now.
  package var activationDeadline: Deadline { deadline(inMilliseconds: activationTimeoutMilliseconds) }

  /// That long from now, but no later than the ordinary timeout.
  func deadline(inMilliseconds milliseconds: Int) -> Deadline {
    Deadline(millisecondsFromNow: min(milliseconds, lockTimeoutMilliseconds))
  }

  /// The system's random source and SQLite's default VFS.
  package static var live: StoreOptions {
    var options = StoreOptions(random: {
      var bits: (UInt64, UInt64) = (0, 0)
      // Reads the kernel's random source; it cannot fail.
      arc4random_buf(&bits, MemoryLayout.size(ofValue: bits))
      return bits
    })
    options.memoryFolders = VolatileAlerts.folders(runtimeFolder: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) })
    return options
  }
}

/// A step of setting a damaged store aside that changes something in its folder.
enum StoreFileStep: Hashable, Sendable {
  case makeFolder
  case link
  case rename
  case remove
  case sync
}
