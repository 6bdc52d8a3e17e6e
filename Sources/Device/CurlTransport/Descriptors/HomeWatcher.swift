import Glibc
import LocalStore
import SystemKit

/// Sees when another process touches the home's `wake`, changes its `config`, or asks the lease's holder for a sign of life by
/// touching `sender.lock` (inotify(7)).
///
/// The files are watched themselves, for the folder would tell of every write to the store; the folder is watched for
/// files that appear or are put in another's place.
final class HomeWatcher {
  struct Changes: OptionSet {
    let rawValue: Int
    static let work = Changes(rawValue: 1)
    static let configuration = Changes(rawValue: 2)
    /// Answered by the next stamp, and by nothing else.
    static let question = Changes(rawValue: 4)
  }

  private let inotify: Inotify
  private let folderPath: String
  private var folderWatch: Int32 = -1
  /// The watched files: what each stands for, by its name, and its watch where it exists.
  private let meanings: [String: Changes]
  private var watches: [Int32: String] = [:]

  init(_ home: HomeDirectory) throws(SyncWorkerError) {
    folderPath = home.path
    meanings = [
      Self.name(home.wakePath): .work, Self.name(home.configurationPath): .configuration,
      Self.name(home.senderLockPath): .question,
    ]
    guard let inotify = Inotify() else { throw FileDescriptor.failure(of: "watching files") }
    self.inotify = inotify
    guard let number = self.inotify.watch(folderPath, for: IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) else {
      throw FileDescriptor.failure(of: "watching the folder of the store")
    }
    folderWatch = number
    for name in meanings.keys { watch(name) }
  }

  var number: Int32 { inotify.descriptor }

  /// What happened since the last call.
  func drain() -> Changes {
    var changes: Changes = []
    for event in inotify.takeEvents() { changes.formUnion(meaning(of: event)) }
    return changes
  }

  private func meaning(of event: InotifyEvent) -> Changes {
    if event.isOverflow { return [.work, .configuration] }
    if event.watch == folderWatch {
      guard let meaning = meanings[event.name] else { return [] }
      watch(event.name)
      return meaning
    }
    guard let name = watches[event.watch], let meaning = meanings[name] else { return [] }
    if event.mask & UInt32(IN_IGNORED) != 0 {
      // The file is gone; the folder tells when there is another.
      watches[event.watch] = nil
      return []
    }
    return meaning
  }

  /// Watches the file that has this name now; where there is none, the folder tells when there is.
  private func watch(_ name: String) {
    // Whoever only tries the lock closes it after writing nothing.
    let events = meanings[name] == .question ? IN_ATTRIB : IN_ATTRIB | IN_CLOSE_WRITE
    if let watch = inotify.watch(folderPath + "/" + name, for: events) { watches[watch] = name }
  }

  private static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
