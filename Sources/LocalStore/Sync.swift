package import Model
package import Wire

extension LocalStore {
  package func syncState() throws(LocalStoreError) -> SyncState { fatalError("not yet") }

  /// The next rows to send, oldest first, without the parked and what they hold back.
  package func nextBatch(_ selection: BatchSelection) throws(LocalStoreError) -> Batch { fatalError("not yet") }

  /// Takes in the answer to `batch`, in one transaction: rows that the server took are removed, refused ones parked, changes
  /// stored with what is still queued laid on top, and the cursor moved.
  package func apply(
    _ response: SyncResponse, to batch: Batch, at moment: Moment
  ) throws(LocalStoreError) -> AppliedExchange { fatalError("not yet") }

  /// Notes that an exchange failed: one attempt more for the batch's rows and lane.
  package func recordFailure(
    of batch: Batch, nextAttemptAt: Timestamp, error: SyncFailure, at moment: Moment
  ) throws(LocalStoreError) { fatalError("not yet") }

  /// Forgets how long the lane was to wait. How often it failed stays.
  package func makeDue(lane: Lane) throws(LocalStoreError) { fatalError("not yet") }

  /// Copies the write-ahead log into the database where it has grown beyond its bound.
  package func checkpointIfNeeded() throws(LocalStoreError) { fatalError("not yet") }

  /// SQLite's quick check of the whole file: what is wrong with it, empty is well.
  package func check() throws(LocalStoreError) -> [String] { fatalError("not yet") }
}
