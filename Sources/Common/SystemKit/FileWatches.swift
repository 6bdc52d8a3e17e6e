import Glibc

/// Tells which of some files of one folder change, whether or not they exist yet: inotify(7). It does not block.
///
/// The files are watched themselves, for a watch of the folder would wake for every other file in it; the folder is watched for files that
/// appear or are put in another's place.
package final class FileWatches: Sendable {
  package enum Changes: Equatable, Sendable {
    /// The names of the files that changed or appeared.
    case of(Set<String>)
    /// Events were lost: anything may have changed.
    case unknown
  }

  private let inotify: Inotify
  private let folder: String
  private let folderWatch: Int32
  /// What to watch of each file, by its name: a mask of `IN_…`.
  private let events: [String: Int32]
  /// The names of the files that exist, by their watch.
  private let names: Lock<[Int32: String]>

  /// Nil and `errno` where the folder or a file of it cannot be watched, as when the user's watches are used up.
  package init?(of files: [String: Int32], in folder: String) {
    guard let inotify = Inotify(),
      let folderWatch = inotify.watch(folder, for: IN_CREATE | IN_MOVED_TO | IN_ONLYDIR)
    else { return nil }
    self.inotify = inotify
    self.folder = folder
    self.folderWatch = folderWatch
    events = files
    names = Lock([:])
    guard names.withLock({ names in files.keys.allSatisfy { watch($0, &names) } }) else { return nil }
  }

  /// Readable when there is something to take.
  package var descriptor: Int32 { inotify.descriptor }

  /// What happened since the last call.
  package func take() -> Changes {
    let happened = inotify.takeEvents()
    return names.withLock { names in
      var changed: Set<String> = []
      for event in happened {
        // After an overflow nothing says which files are new.
        if event.isOverflow {
          for name in events.keys { watch(name, &names) }
          return .unknown
        }
        if let name = changedName(event, &names) { changed.insert(name) }
      }
      return .of(changed)
    }
  }

  private func changedName(_ event: InotifyEvent, _ names: inout [Int32: String]) -> String? {
    if event.watch == folderWatch {
      guard events[event.name] != nil else { return nil }
      watch(event.name, &names)
      return event.name
    }
    // The file is gone; the folder tells when there is another.
    if event.mask & UInt32(IN_IGNORED) != 0 {
      names[event.watch] = nil
      return nil
    }
    return names[event.watch]
  }

  /// Watches the file that has this name now; where there is none, the folder tells when there is. False where it cannot be watched.
  @discardableResult
  private func watch(_ name: String, _ names: inout [Int32: String]) -> Bool {
    guard let watch = inotify.watch(folder + "/" + name, for: events[name] ?? 0) else { return errno == ENOENT }
    names[watch] = name
    return true
  }
}
