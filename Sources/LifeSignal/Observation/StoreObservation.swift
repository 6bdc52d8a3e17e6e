import DeviceCore
import Dispatch
import LocalStore

/// Tells a stream what is read from the store, whenever it differs from what was told before.
final class StoreObservation<Value: Equatable & Sendable>: @unchecked Sendable {
  // The value is touched on the given serial queue alone; a dispatch source may be cancelled from any thread.
  private let store: LocalStore
  private let watcher: StoreWatcher
  private let source: any DispatchSourceRead
  private let continuation: AsyncStream<Value>.Continuation
  private let read: @Sendable (LocalStore) throws(LocalStoreError) -> Value
  private var latest: Value?

  init(
    store: LocalStore, watcher: StoreWatcher, queue: DispatchQueue, continuation: AsyncStream<Value>.Continuation,
    read: @escaping @Sendable (LocalStore) throws(LocalStoreError) -> Value
  ) {
    self.store = store
    self.watcher = watcher
    self.continuation = continuation
    self.read = read
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
    guard let value = try? read(store), value != latest else { return }
    latest = value
    // Its reader may have gone before it could be told that nobody reads.
    guard case .terminated = continuation.yield(value) else { return }
    // It holds this, and is called no more.
    continuation.onTermination = nil
    cancel()
  }
}

extension LifeSignalClient {
  /// What `read` gives now, and again whenever it differs after this or another process changed the store. Values that a slow
  /// reader did not take are left out; the newest is always told. Ends when the task that reads it is cancelled, and at once
  /// where the store cannot be opened.
  func observe<Value: Equatable & Sendable>(
    _ read: @escaping @Sendable (LocalStore) throws(LocalStoreError) -> Value
  ) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    storeQueue.async { [self] in
      guard let store = try? store(), let watcher = StoreWatcher(home) else { return continuation.finish() }
      let observation = StoreObservation(
        store: store, watcher: watcher, queue: storeQueue, continuation: continuation, read: read)
      continuation.onTermination = { _ in observation.cancel() }
      observation.start()
    }
    return stream
  }
}
