public import AppModel
import DeviceCore
import LocalStore

extension LifeSignalClient {
  /// Everything that is saved here and that the server has not taken, in the order in which it is sent; also what it refused.
  public func queuedItems() async throws(LifeSignalError) -> [QueuedItem] {
    try await withStore { store throws(LocalStoreError) in try store.queue().map(QueuedItem.init) }
  }

  /// Has an item tried again at once. One that the server refused gets another id. Gives the item as it is then.
  ///
  /// Throws `notFound`.
  @discardableResult
  public func retry(_ id: QueuedItem.ID) async throws(LifeSignalError) -> QueuedItem {
    try await withStore { store throws(LocalStoreError) in
      QueuedItem(try store.retry(id, at: DeviceClock.now()))
    }
  }

  /// Gives an item up, and with it what stands behind it of the same alert or contact: the server never hears of them. Gives
  /// all that was dropped.
  ///
  /// An alert that the server never had stays in the history, discarded and not active. Throws `notFound`.
  @discardableResult
  public func discard(_ id: QueuedItem.ID) async throws(LifeSignalError) -> [QueuedItem] {
    try await withStore { store throws(LocalStoreError) in
      try store.discard(id, at: DeviceClock.now()).map(QueuedItem.init)
    }
  }
}
