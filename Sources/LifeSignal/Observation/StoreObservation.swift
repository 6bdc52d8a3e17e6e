import DeviceCore
import Dispatch
import LocalStore

/// Tells a stream the store's status whenever it differs from the one told before.
final class StatusObservation: @unchecked Sendable {
  // The status is touched on the given serial queue alone; a dispatch source may be cancelled from any thread.
  private let store: LocalStore
  private let watcher: StoreWatcher
  private let source: any DispatchSourceRead
  private let continuation: AsyncStream<DeviceStatus>.Continuation
  private var latest: DeviceStatus?

  init(
    store: LocalStore, watcher: StoreWatcher, queue: DispatchQueue,
    continuation: AsyncStream<DeviceStatus>.Continuation
  ) {
    self.store = store
    self.watcher = watcher
    self.continuation = continuation
    source = DispatchSource.makeReadSource(fileDescriptor: watcher.readableDescriptor, queue: queue)
  }

  /// On the queue, once.
  func start() {
    source.setEventHandler { [self] in
      watcher.drain()
      look()
    }
    // The descriptor must stay open until the source has let go of it.
    source.setCancelHandler { [watcher] in withExtendedLifetime(watcher) {} }
    look()
    source.activate()
  }

  func cancel() { source.cancel() }

  private func look() {
    // A store that cannot be read now is read at its next change.
    guard let status = (try? store.status()).map(DeviceStatus.init), status != latest else { return }
    latest = status
    continuation.yield(status)
  }
}
