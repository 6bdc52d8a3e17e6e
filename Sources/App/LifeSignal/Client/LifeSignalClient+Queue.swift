public import AppModel
import DeviceCore
import LocalStore

extension LifeSignalClient {
  /// Everything that is saved here and that the server has not accepted, in sending order, including what it refused.
  public func queuedItems() async throws(LifeSignalError) -> [QueuedItem] {
    try await withStore { store throws(LocalStoreError) in try store.queue().map(QueuedItem.init) }
  }

  /// Retries an item at once and returns it. An item that the server refused gets a new id.
  ///
  /// Throws `notFound`.
  @discardableResult
  public func retry(_ id: QueuedItem.ID) async throws(LifeSignalError) -> QueuedItem {
    try await withStore { store throws(LocalStoreError) in
      QueuedItem(try store.retry(id, at: DeviceClock.now()))
    }
  }

  /// Discards an item, with what is queued behind it for the same alert or contact: the server never hears of them. Returns all that
  /// was discarded.
  ///
  /// An alert that the server never received stays in the history, discarded and not active. Throws `notFound`.
  @discardableResult
  public func discard(_ id: QueuedItem.ID) async throws(LifeSignalError) -> [QueuedItem] {
    try await withStore { store throws(LocalStoreError) in
      try store.discard(id, at: DeviceClock.now()).map(QueuedItem.init)
    }
  }
}
