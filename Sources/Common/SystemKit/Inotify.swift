import Glibc

/// Tells what happens to files and folders: inotify(7). It does not block.
package struct Inotify: ~Copyable, Sendable {
  private let file: FileDescriptor

  /// Nil and `errno` where the user's instances or the process's descriptors are used up.
  package init?() {
    guard let file = FileDescriptor(owning: inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))) else { return nil }
    self.file = file
  }

  /// Readable while there are events to take. Valid during the value's life.
  package var descriptor: Int32 { file.number }

  /// Watches what has this name now. Gives the number that its events carry; nil and `errno` where it cannot be watched.
  ///
  /// - Parameter events: a mask of `IN_…`.
  package func watch(_ path: String, for events: Int32) -> Int32? {
    let watch = inotify_add_watch(file.number, path, UInt32(bitPattern: events))
    return watch >= 0 ? watch : nil
  }

  /// All events since the last call; none where nothing happened.
  package func takeEvents() -> [InotifyEvent] {
    var events: [InotifyEvent] = []
    while true {
      let bytes = file.read(upTo: 4096)
      guard !bytes.isEmpty else { return events }
      events += InotifyEvent.parse(bytes)
    }
  }
}
