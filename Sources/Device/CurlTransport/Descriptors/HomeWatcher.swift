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

  private let descriptor: FileDescriptor
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
    descriptor = try FileDescriptor(inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)), for: "watching files")
    let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)
    folderWatch = try FileDescriptor.check(
      inotify_add_watch(descriptor.number, folderPath, mask), for: "watching the folder of the store")
    for name in meanings.keys { watch(name) }
  }

  var number: Int32 { descriptor.number }

  /// What happened since the last call.
  func drain() -> Changes {
    var changes: Changes = []
    while true {
      let bytes = descriptor.read(upTo: 4096)
      guard !bytes.isEmpty else { return changes }
      for event in InotifyEvent.parse(bytes) { changes.formUnion(meaning(of: event)) }
    }
  }

  private func meaning(of event: InotifyEvent) -> Changes {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return [.work, .configuration] }
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
    let mask = meanings[name] == .question ? UInt32(IN_ATTRIB) : UInt32(IN_ATTRIB | IN_CLOSE_WRITE)
    let number = inotify_add_watch(descriptor.number, folderPath + "/" + name, mask)
    guard number >= 0 else { return }
    watches[number] = name
  }

  private static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
