import Glibc
import LocalStore
import SystemKit

/// Sees when another process touches the home's `wake`, changes its `config`, or asks the lease's holder for a sign of life by
/// touching `sender.lock`.
final class HomeWatcher {
  struct Changes: OptionSet {
    let rawValue: Int
    static let work = Changes(rawValue: 1)
    static let configuration = Changes(rawValue: 2)
    /// Answered by the next stamp, and by nothing else.
    static let question = Changes(rawValue: 4)
  }

  private let watches: FileWatches
  /// What each file stands for, by its name.
  private let meanings: [String: Changes] = [
    HomeDirectory.wakeName: .work, HomeDirectory.configurationName: .configuration,
    HomeDirectory.senderLockName: .question,
  ]

  init(_ home: HomeDirectory) throws(SyncWorkerError) {
    let events = meanings.mapValues { meaning in
      // Whoever only tries the lock closes it after writing nothing.
      meaning == .question ? IN_ATTRIB : IN_ATTRIB | IN_CLOSE_WRITE
    }
    guard let watches = FileWatches(of: events, in: home.path) else {
      throw FileDescriptor.failure(of: "watching the folder of the store")
    }
    self.watches = watches
  }

  var number: Int32 { watches.descriptor }

  /// What happened since the last call.
  func drain() -> Changes {
    switch watches.take() {
    case .unknown: [.work, .configuration]
    case .of(let names): names.reduce(into: []) { $0.formUnion(meanings[$1] ?? []) }
    }
  }
}
