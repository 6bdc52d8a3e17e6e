import Glibc
import LocalStore
import SystemKit

/// Sees when another process touches the home's `wake`, changes its `config`, writes to its store or spool, or asks the lease's holder for a
/// sign of life by touching `sender.lock`.
final class HomeWatcher {
  struct Changes: OptionSet {
    let rawValue: Int
    static let work = Changes(rawValue: 1)
    static let configuration = Changes(rawValue: 2)
    /// Answered by the next stamp, and by nothing else.
    static let question = Changes(rawValue: 4)
    /// Of anybody, this process too. A poke follows, unless the writer is killed.
    static let write = Changes(rawValue: 8)
  }

  private let watches: FileWatches
  /// What each file stands for, by its name, and what to watch of it.
  private static let files: [String: (meaning: Changes, events: Int32)] = [
    HomeDirectory.wakeName: (.work, IN_ATTRIB | IN_CLOSE_WRITE),
    HomeDirectory.configurationName: (.configuration, IN_ATTRIB | IN_CLOSE_WRITE),
    // Whoever only tries the lock closes it after writing nothing.
    HomeDirectory.senderLockName: (.question, IN_ATTRIB),
    HomeDirectory.databaseName + "-wal": (.write, IN_MODIFY),
    // A file of the spool gets its name when it is whole.
    HomeDirectory.spoolName: (.write, IN_MOVED_TO),
  ]

  init(_ home: HomeDirectory) throws(SyncWorkerError) {
    guard let watches = FileWatches(of: Self.files.mapValues(\.events), in: home.path) else {
      throw FileDescriptor.failure(of: "watching the folder of the store")
    }
    self.watches = watches
  }

  var number: Int32 { watches.descriptor }

  /// What happened since the last call.
  func drain() -> Changes {
    switch watches.take() {
    case .unknown: [.work, .configuration, .write]
    case .of(let names): names.reduce(into: []) { $0.formUnion(Self.files[$1]?.meaning ?? []) }
    }
  }
}
