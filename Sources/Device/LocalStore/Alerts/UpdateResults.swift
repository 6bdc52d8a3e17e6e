import Model
import SQLiteKit
import Wire

// The server's answers to updates.
extension ExchangeApplier {
  /// The server accepted the update, now or before. An end that it told of since came after the update.
  func acceptUpdate(
    _ mutation: SyncRequestWriter.QueuedMutation, _ result: ItemResult, _ transaction: StoreTransaction
  ) throws {
    let id = AlertID(mutation.entityID)
    try transaction.run(
      """
      UPDATE presses SET accepted_at = ?1 WHERE alert_id = ?2 AND accepted_at IS NULL
        AND number <= (SELECT number FROM presses WHERE mutation_id = ?3)
      """, SQLiteValue(result.appliedAt ?? response.serverTime), SQLiteValue(id), SQLiteValue(mutation.id))
    let known = try transaction.knownUpdate(of: id)
    if let update = try? AlertUpdate(storedBody: mutation.body) {
      try note(NewestUpdate(id: mutation.id, update: update.over(known?.update)), from: mutation, of: id, transaction)
    }
    if !movesCursor, result.status == .applied, known?.id != mutation.id { try transaction.forgetNaming(of: id) }
    try transaction.releaseHeldEnd(of: id)
  }

  /// Notes what the server accepted from here. Where changes are still to come in, that says nothing of having seen the calls of other
  /// devices before it.
  private func note(
    _ newest: NewestUpdate, from mutation: SyncRequestWriter.QueuedMutation, of id: AlertID,
    _ transaction: StoreTransaction
  ) throws {
    let isCall = !mutation.body.contains(MutationBody.noCall)
    let isBlind = !movesCursor || response.hasMore
    if !isBlind {
      try transaction.setKnownUpdate(newest, of: id)
    } else if isCall {
      try transaction.setUnseenUpdate(newest, of: id)
    }
  }

  /// The server rejected the update. One that is no call for help is dropped, with the others that wait: where the person was is of no
  /// use to an alert that has ended.
  ///
  /// - Parameter sequence: its place in the queue.
  func takeRefusal(
    of mutation: SyncRequestWriter.QueuedMutation, at sequence: Int64, _ result: ItemResult,
    _ transaction: StoreTransaction
  ) throws {
    guard !mutation.body.contains(MutationBody.noCall) else {
      let id = AlertID(mutation.entityID)
      if result.code == ItemResult.alertEnded { try transaction.removePendingPlaces(of: id) }
      return try transaction.holdEnd(of: id, result.endedAt, at: response.serverTime)
    }
    try raiseSeparately(mutation, at: sequence, result, transaction)
  }

  /// The server rejected the call, for whatever reason: it becomes an alert of its own, with the calls that wait behind it. That is the
  /// alert of the newest of them, with the words of all, and with the place that was found since. It is never parked, since nobody in danger
  /// looks at a queue. Where damage has taken the alert, it is a real one.
  ///
  /// If the person ended the alert here after the press, the new one has ended too, and its responders are notified of both.
  private func raiseSeparately(
    _ mutation: SyncRequestWriter.QueuedMutation, at sequence: Int64, _ result: ItemResult,
    _ transaction: StoreTransaction
  ) throws {
    let old = AlertID(mutation.entityID)
    let identifiers = IdentifierSource(moment: moment, random: random)
    let former = try transaction.alert(old)
    let calls = try [mutation] + transaction.takeWaitingCalls(of: old)
    // No call holds it back any more.
    try transaction.holdEnd(of: old, result.endedAt, at: response.serverTime)
    let raised = try calls.map { call in
      try transaction.separateAlert(of: call, isDrill: former?.isDrill ?? false, identifiers)
    }.asOne
    guard let raised else { return }
    if try !transaction.hasAlert(raised.id) { try transaction.insert(raised, at: moment) }
    try transaction.run(
      "UPDATE presses SET alert_id = ? WHERE alert_id = ? AND accepted_at IS NULL", SQLiteValue(raised.id),
      SQLiteValue(old))
    guard let endedAt = former?.endedAt else {
      return try transaction.passPlaces(behind: sequence, of: old, to: raised.id, identifiers)
    }
    var ended = raised.alert
    ended.end(at: endedAt)
    try transaction.run(
      "UPDATE alerts SET ended_at = ? WHERE id = ?", SQLiteValue(endedAt), SQLiteValue(raised.id))
    try transaction.enqueueEnd(of: ended, identifiers: identifiers, isNotified: true)
  }
}

extension StoreTransaction {
  /// Notes that the server has the further calls that became this alert together, those up to the press that raised it.
  func acceptPresses(mergedInto id: AlertID, at acceptedAt: SQLiteValue) throws {
    try run(
      """
      UPDATE presses SET accepted_at = ?1 WHERE alert_id = ?2 AND accepted_at IS NULL
        AND number <= (SELECT number FROM presses WHERE id = ?2)
      """, acceptedAt, SQLiteValue(id))
  }

  /// Queues what the places that wait behind a call say together, as news of the alert that the call became.
  ///
  /// - Parameters:
  ///   - sequence: the call's.
  ///   - old: the alert for which they wait.
  fileprivate func passPlaces(
    behind sequence: Int64, of old: AlertID, to new: AlertID, _ identifiers: IdentifierSource
  ) throws {
    let places = try readableRows(
      """
      SELECT body FROM pending_mutations INDEXED BY pending_mutations_updates
      WHERE entity_id = ? AND kind = 'alert.update' AND instr(body, ?) > 0 AND sequence > ? ORDER BY sequence
      """, SQLiteValue(old), .text(MutationBody.noCall), .integer(sequence)
    ) { row in try AlertUpdate(storedBody: row["body"]) }
    let newest = places.reduce(nil as AlertUpdate?) { earlier, next in next.over(earlier) }
    guard let newest else { return }
    let mutation = Mutation(
      id: identifiers.next(), entityID: EntityID(new), occurredAt: newest.at, change: .updateAlert(newest))
    try enqueue(mutation, at: identifiers.moment)
  }

  /// Makes the next complete pull name the alert again, with everything that the server has accepted since; otherwise all of it is queued
  /// again.
  fileprivate func forgetNaming(of id: AlertID) throws {
    try run("UPDATE alerts SET server_epoch = '' WHERE id = ? AND server_epoch IS NOT NULL", SQLiteValue(id))
  }
}
