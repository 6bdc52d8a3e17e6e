package import Wire

extension LocalStore {
  /// What `nextBatch` will give once the answer to `batch` is applied, if nothing is queued meanwhile: for a request that is sent
  /// before that.
  ///
  /// Nil where that cannot be told: an item was not simply applied, the server was restored, the cursor has moved, or an alert waits.
  package func batch(
    after batch: Batch, answeredBy response: SyncResponse, _ selection: BatchSelection
  ) throws(LocalStoreError) -> Batch? {
    guard batch.isTaken(by: response) else { return nil }
    return try file.read { reading in
      let values = try reading.stateValues()
      guard try batch.isOf(values) && values.isAtRest && !reading.hasQueuedAlert(),
        values[.cursor] == batch.cursor, values[.epoch] == response.epoch
      else { return nil }
      var builder = BatchBuilder(reading: reading, selection: selection)
      if let last = batch.mutationSequences.last { builder.after = .integer(last) }
      var next = try builder.build()
      next.cursor = response.cursor
      next.newestCursor = response.hasMore ? response.newestCursor : nil
      return next
    }
  }
}

extension Batch {
  /// Whether the server has applied each of its routine items just now.
  fileprivate func isTaken(by response: SyncResponse) -> Bool {
    lane == .routine && !isAlertKeyOnly && notifications.isEmpty && response.results.count == mutations.count
      && response.results.allSatisfy { $0.status == .applied }
  }
}

extension StateValues {
  /// Whether an answer changes the queue only by what it answers: nothing is offered again, and nothing has to be confirmed.
  fileprivate var isAtRest: Bool {
    [StateKey.restoring, .resubmissionPosition, .unconfirmed].allSatisfy { self[$0] == nil }
  }
}
