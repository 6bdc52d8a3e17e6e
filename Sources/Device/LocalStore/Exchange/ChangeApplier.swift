import Model
import PlantedBugs
import SQLiteKit
import Wire

/// Stores what the server holds, without losing what is queued here.
struct ChangeApplier {
  let connection: Connection
  /// What the rows carry that the server names: `StateValues.naming`.
  let naming: String
  /// A pull from the start, from a server that was restored.
  let isRestoring: Bool
  /// What a restored server did not name in that pull is being offered to it.
  let isResubmitting: Bool
  let moment: Moment
  let random: @Sendable () -> (UInt64, UInt64)

  func apply(_ changes: [Change]) throws {
    for change in changes {
      if PlantedBug.deviceClockAsCursor.isPlanted, try isOlderThanLastSuccess(change) { continue }
      switch change {
      case .alert(let record): try apply(record)
      case .contact(let id, let record): try apply(id, record)
      case .receipt(let receipt): try apply(receipt)
      }
    }
  }

  /// The server's end stands over one that is queued here, since it was the first; an end that stands here and that the
  /// server does not have stays, and is queued or was discarded.
  private func apply(_ record: AlertRecord) throws {
    var record = record
    try makeRoom(for: record.alert.id, at: record.ordinal)
    try reopen(record)
    try offerLostUpdate(record)
    let lacksEnd = try lacksEnd(record)
    let held = try holdEnd(of: &record)
    let alert = record.alert
    try connection.statement(
      """
      INSERT INTO alerts (id, account_id, list_order, started_at, ended_at, message, latitude, longitude, drill,
        accepted_at, end_accepted_at, server_epoch)
      VALUES (?, (SELECT value FROM sync_state WHERE key = 'account_id'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET list_order = excluded.list_order, ended_at = coalesce(excluded.ended_at, ended_at),
        accepted_at = excluded.accepted_at, end_accepted_at = excluded.end_accepted_at, discarded_at = NULL,
        server_epoch = excluded.server_epoch
      """
    ).run(
      SQLiteValue(alert.id), .integer(record.ordinal), SQLiteValue(alert.startedAt), SQLiteValue(alert.endedAt),
      SQLiteValue(alert.message), SQLiteValue(alert.location?.latitude), SQLiteValue(alert.location?.longitude),
      SQLiteValue(alert.isDrill), SQLiteValue(record.receivedAt), SQLiteValue(record.endReceivedAt), .text(naming)
    )
    if let held { try connection.noteEnd(of: alert.id, held.endedAt, at: held.acceptedAt) }
    if let newest = record.newestUpdate { try connection.note(newest, of: alert.id) }
    if lacksEnd { try connection.queueLostEnd(of: alert.id, IdentifierSource(moment: moment, random: random)) }
    if PlantedBug.endForgotten.isPlanted { try connection.setEnd(of: alert) }
  }

  /// While an update waits here, nobody knows whether it came before the end of which the server tells: the person called for
  /// help, and sees an active alert until the server has judged that. Takes the end out of the record.
  private func holdEnd(of record: inout AlertRecord) throws -> (endedAt: Timestamp, acceptedAt: Timestamp)? {
    guard let endedAt = record.alert.endedAt, try connection.hasPendingUpdate(of: record.alert.id) else { return nil }
    let alert = record.alert
    let acceptedAt = record.endReceivedAt ?? record.receivedAt
    record.alert = Alert(
      id: alert.id, startedAt: alert.startedAt, message: alert.message, location: alert.location, isDrill: alert.isDrill
    )
    record.endReceivedAt = nil
    return (endedAt, acceptedAt)
  }

  /// Another device called for help again, and whoever ended the alert here had not seen that: the server does not take that
  /// end, and the alert is active. A restored server has lost even an end that it had accepted, and may have taken the call since.
  /// It may also name a call that is older than what was seen here.
  private func reopen(_ record: AlertRecord) throws {
    guard record.alert.isActive, let newest = record.newestUpdate else { return }
    if isRestoring, let known = try connection.knownUpdate(of: record.alert.id), known.update.at >= newest.update.at {
      return
    }
    let isUnseen =
      try connection.statement(
        """
        SELECT 1 FROM alerts WHERE id = ?1 AND ended_at IS NOT NULL AND (end_accepted_at IS NULL OR ?3) AND update_id IS NOT ?2
          AND NOT EXISTS (SELECT 1 FROM presses WHERE mutation_id = ?2)
        """
      ).first(SQLiteValue(record.alert.id), SQLiteValue(newest.id), SQLiteValue(isRestoring)) { _ in true } ?? false
    if isUnseen { try connection.takeBackEnd(of: record.alert.id, newest: newest.id) }
  }

  /// A call for help that the server had taken and has lost is offered again; the alert itself it still has.
  private func offerLostUpdate(_ record: AlertRecord) throws {
    let id = record.alert.id
    guard isRestoring || isResubmitting, record.alert.isActive, let known = try connection.knownUpdate(of: id) else {
      return
    }
    let isLost = record.newestUpdate.map { $0.id != known.id && $0.update.at < known.update.at } ?? true
    let isActive =
      try connection.statement("SELECT 1 FROM alerts WHERE id = ? AND ended_at IS NULL")
      .first(SQLiteValue(id)) { _ in true } ?? false
    guard isLost, isActive, try !connection.hasPendingUpdate(of: id) else { return }
    try connection.queueAgain(known, of: id, IdentifierSource(moment: moment, random: random))
  }

  /// Whether another device offered an alert to a restored server without knowing that it has ended, before this one came to it. In
  /// the server's order it may stand behind the place that this device's resubmission has come to.
  private func lacksEnd(_ record: AlertRecord) throws -> Bool {
    guard isResubmitting, !isRestoring, record.alert.isActive else { return false }
    return try connection.statement(
      """
      SELECT 1 FROM alerts WHERE id = ?1 AND ended_at IS NOT NULL AND end_discarded_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM pending_mutations WHERE entity_id = ?1 AND kind = 'alert.deactivate')
      """
    ).first(SQLiteValue(record.alert.id)) { _ in true } ?? false
  }

  /// Moves another alert away from a place in the list that the server has given to this one, as one that was restored
  /// does. The other one's own record follows, or it is offered again.
  private func makeRoom(for id: AlertID, at ordinal: Int64) throws {
    try connection.statement("UPDATE alerts SET list_order = ? WHERE list_order = ? AND id <> ?")
      .run(.integer(try connection.nextPlace()), .integer(ordinal), SQLiteValue(id))
  }

  private func apply(_ id: ContactID, _ record: ContactRecord?) throws {
    guard let record else { return try applyRemoval(id) }
    if isRestoring, try wasRemoved(id) { return try removeAgain(id) }
    let body = MutationBody.text(of: .putContact(record.details))
    if try !connection.hasQueued(id) {
      try connection.showContact(Contact(id: id, details: record.details))
    }
    try connection.statement(
      "UPDATE contacts SET server_state = ?, server_epoch = ?, webhook_secret = ? WHERE id = ?"
    ).run(.text(body), .text(naming), .text(record.webhookSecret), SQLiteValue(id))
    if try connection.hasQueued(id) { try connection.relayContact(id) }
  }

  private func applyRemoval(_ id: ContactID) throws {
    try connection.setServerState(nil, naming: naming, of: EntityID(id))
    if try connection.hasQueued(id) { return try connection.relayContact(id) }
    try connection.hideContact(id)
  }

  /// Whether the server had taken the removal of a contact that it names again after it was restored.
  private func wasRemoved(_ id: ContactID) throws -> Bool {
    try connection.statement(
      """
      SELECT 1 FROM contacts WHERE id = ?1 AND is_removed = 1 AND server_state IS NULL AND server_epoch IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM pending_mutations WHERE entity_id = ?1 AND lane = 'routine')
      """
    ).first(SQLiteValue(id)) { _ in true } ?? false
  }

  private func removeAgain(_ id: ContactID) throws {
    let mutation = Mutation(
      id: IdentifierSource(moment: moment, random: random).next(), entityID: EntityID(id), occurredAt: moment.wall,
      change: .removeContact)
    _ = try connection.queue(mutation, at: moment)
  }

  private func apply(_ receipt: Receipt) throws {
    try connection.statement(
      """
      INSERT INTO receipts (id, alert_id, contact_id, contact_name, notice, channel, state, at, reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET contact_name = excluded.contact_name, state = iif(?10, state, excluded.state),
        at = iif(?10, at, excluded.at), reason = excluded.reason
      """
    ).run(
      SQLiteValue(receipt.id), SQLiteValue(receipt.alertID), SQLiteValue(receipt.contactID),
      .text(receipt.contactName), .text(receipt.notice.rawValue), .text(receipt.channel.rawValue),
      .text(receipt.state.rawValue), SQLiteValue(receipt.at), SQLiteValue(receipt.reason),
      SQLiteValue(receipt.unknownState != nil)
    )
  }
}

extension Connection {
  func hasQueued(_ id: ContactID) throws -> Bool {
    try statement("SELECT 1 FROM pending_mutations WHERE entity_id = ? AND lane = 'routine' LIMIT 1")
      .first(SQLiteValue(id)) { _ in true } ?? false
  }
}
