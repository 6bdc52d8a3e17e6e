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
    source?.cancel()
    source = nil
  }

  private func watch() -> Bool {
    guard let watcher = StoreWatcher(home) else { return false }
    let source = DispatchSource.makeReadSource(fileDescriptor: watcher.readableDescriptor, queue: queue)
    source.setEventHandler { [weak self] in
      guard watcher.takeChanges() else { return }
      // A copy, because an observer may remove itself.
      self?.observers.values.map(\.self).forEach { $0() }
    }
    // The descriptor must stay open until the source is cancelled.
    source.setCancelHandler { withExtendedLifetime(watcher) {} }
    source.activate()
    self.source = source
    return true
  }

  deinit { source?.cancel() }
}
