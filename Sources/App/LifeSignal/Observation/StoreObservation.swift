import Dispatch
import LocalStore

/// Gives a stream what is read from the store, whenever it differs from the value before.
final class StoreObservation<Value: Equatable & Sendable>: @unchecked Sendable {
  // The value is touched on the observers' serial queue alone.
  private let observers: HomeObservers
  private let continuation: AsyncStream<Value>.Continuation
  private let read: @Sendable () throws(LocalStoreError) -> Reading<Value>
  private var latest: Value?
  private var hasEnded = false

  init(
    observers: HomeObservers, continuation: AsyncStream<Value>.Continuation,
    read: @escaping @Sendable () throws(LocalStoreError) -> Reading<Value>
  ) {
    self.observers = observers
    self.continuation = continuation
    self.read = read
  }

  /// On the queue, once.
  func start() {
    guard !hasEnded else { return }
    // Watched before it reads, so that nothing is missed.
    if observers.add(ObjectIdentifier(self), look) { return look() }
    // The first reading makes the folder where it was missing.
    look()
    guard !hasEnded, observers.add(ObjectIdentifier(self), look) else { return end() }
    look()
  }

  /// On the queue. It can be called before `start` and again.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    observers.remove(ObjectIdentifier(self))
    // It holds this.
    continuation.onTermination = nil
    continuation.finish()
  }

  private func look() {
    guard !hasEnded else { return }
    do throws(LocalStoreError) {
      let reading = try read()
      let isUnread = tell(reading.value)
      if isUnread || reading.isLast { end() }
    } catch {
      // Ends the stream, so that its last value is not taken for current.
      end()
    }
  }

  /// True where its reader has gone, which may have been before it could be told.
  private func tell(_ value: Value) -> Bool {
    guard value != latest else { return false }
    latest = value
    if case .terminated = continuation.yield(value) { return true }
    return false
  }
}

extension LifeSignalClient {
  /// What `read` gives now, and again whenever it differs after this or another process changed the store. Values that a slow
  /// reader did not take are left out; the newest is always told. Ends when the task that reads it is cancelled, after the
  /// last reading, and where reading fails or the folder cannot be watched.
  ///
  /// - Parameter read: called on `storeQueue`.
  func observe<Value: Equatable & Sendable>(
    _ read: @escaping @Sendable () throws(LocalStoreError) -> Reading<Value>
  ) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let observation = StoreObservation(observers: observers, continuation: continuation, read: read)
    continuation.onTermination = { [storeQueue] _ in storeQueue.async { observation.end() } }
    storeQueue.async { observation.start() }
    return stream
  }
}
