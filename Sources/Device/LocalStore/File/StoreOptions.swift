import Glibc
package import SystemKit

/// What a store takes from outside.
package struct StoreOptions: Sendable {
  /// The name of a registered SQLite VFS; nil is the default one. Fault tests use their own.
  package var vfs: String?
  /// 128 random bits, for ids.
  package var random: @Sendable () -> (UInt64, UInt64)
  /// How long to wait for another process that writes.
  package var lockTimeoutMilliseconds: Int
  /// How long raising an alert may wait for others, all its waits together; then it goes to the spool.
  package var activationTimeoutMilliseconds: Int
  /// The pages in the write-ahead log at which a commit copies it into the database.
  package var checkpointPages: Int
  /// Folders in memory in which alerts may wait that were raised while the home could not be written.
  package var memoryFolders: [String] = []
  /// How many alerts one transaction queues again for a restored server.
  package var resubmissionStep = 50
  /// Told after each write transaction how much of SQLite's work was done under the lock, in instructions of its machine. Only
  /// tests count it.
  package var noteWork: (@Sendable (Int) -> Void)?

  /// As many may stay in it when nobody is at work: whoever opens the file reads them all.
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

  /// For raising an alert, from now on.
  package var activationDeadline: Deadline { deadline(inMilliseconds: activationTimeoutMilliseconds) }

  /// From now on, and no later than where nothing else is said.
  func deadline(inMilliseconds milliseconds: Int) -> Deadline {
    Deadline(millisecondsFromNow: min(milliseconds, lockTimeoutMilliseconds))
  }

  /// The system's random source and SQLite's default VFS.
  package static var live: StoreOptions {
    var options = StoreOptions(random: {
      var bits: (UInt64, UInt64) = (0, 0)
      // From the kernel's source, in one call; it does not fail.
      arc4random_buf(&bits, MemoryLayout.size(ofValue: bits))
      return bits
    })
    options.memoryFolders = VolatileAlerts.folders(runtimeFolder: getenv("XDG_RUNTIME_DIR").map { String(cString: $0) })
    return options
  }
}
