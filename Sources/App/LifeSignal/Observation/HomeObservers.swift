import DeviceCore
import Dispatch
import LocalStore

/// Watches the home's folder once for all streams of a client: a user has 128 such watches, for all programs together.
///
/// All functions are called on its queue, and the observers there too.
final class HomeObservers: @unchecked Sendable {
  // Only touched on the serial `queue`.
  private let queue: DispatchQueue
  private let home: HomeDirectory
  private var observers: [ObjectIdentifier: () -> Void] = [:]
  private var source: (any DispatchSourceRead)?
  private var laterLooks: [DispatchWorkItem] = []

  /// The system tells of a commit's bytes before they are synced, and readers see them after that, on a slow disk long after.
  private static let laterMilliseconds = [250, 2000]

  init(_ home: HomeDirectory, queue: DispatchQueue) {
    self.home = home
    self.queue = queue
  }

  /// Whether the folder is watched.
  var isWatching: Bool { source != nil }

  /// Calls `look` whenever the store may have changed. False if the system cannot watch the folder now.
  func add(_ id: ObjectIdentifier, _ look: @escaping () -> Void) -> Bool {
    if source == nil, !watch() { return false }
    observers[id] = look
    return true
  }

  func remove(_ id: ObjectIdentifier) {
    observers[id] = nil
    guard observers.isEmpty else { return }
    cancelLooks()
    source?.cancel()
    source = nil
  }

  private func watch() -> Bool {
    guard let watcher = StoreWatcher(home) else { return false }
    let source = DispatchSource.makeReadSource(fileDescriptor: watcher.readableDescriptor, queue: queue)
    source.setEventHandler { [weak self] in
      guard watcher.takeChanges() else { return }
      self?.look()
      self?.lookLater()
    }
    // The descriptor must stay open until the source is cancelled.
    source.setCancelHandler { withExtendedLifetime(watcher) {} }
    source.activate()
    self.source = source
    return true
  }

  private func look() {
    // A copy, because an observer may remove itself.
    observers.values.map(\.self).forEach { $0() }
  }

  /// Looks again when the commit is visible. A further change begins that anew.
  private func lookLater() {
    cancelLooks()
    guard source != nil else { return }
    laterLooks = Self.laterMilliseconds.map { milliseconds in
      let work = DispatchWorkItem { [weak self] in self?.look() }
      queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: work)
      return work
    }
  }

  private func cancelLooks() {
    for work in laterLooks { work.cancel() }
    laterLooks = []
  }

  deinit { source?.cancel() }
}
