package import Model

extension LocalStore {
  /// Everything queued, in order, the parked too; a notification request follows its alert's mutation.
  package func queue() throws(LocalStoreError) -> [QueueItem] { fatalError("not yet") }

  /// Unparks an item under a new id, due now; gives it as it is then. Throws `notFound`.
  package func retry(_ id: String, at moment: Moment) throws(LocalStoreError) -> QueueItem { fatalError("not yet") }

  /// Drops an item with what stands behind it of the same entity, and gives what was dropped. The local view goes back to
  /// what the server last said; an alert that the server never had stays in the history, marked. Throws `notFound`.
  package func discard(_ id: String, at moment: Moment) throws(LocalStoreError) -> [QueueItem] { fatalError("not yet") }
}
