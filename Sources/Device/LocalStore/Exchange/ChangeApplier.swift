import Model
import PlantedBugs
import SQLiteKit
import Wire

/// Stores the server's changes, without losing what is queued here.
struct ChangeApplier {
  let transaction: StoreTransaction
  /// The account that is signed in.
  let accountID: String?
  /// What `server_epoch` is set to in rows that the server names: `StateValues.naming`.
  let naming: String
  /// The changes belong to a pull from the start, from a server that was restored.
  let isRestoring: Bool
  /// A resubmission queues again what the restored server did not name in that pull.
  let isResubmitting: Bool
  /// The newest sequence when the pull was asked for.
  let newestSequence: Int64
  let moment: Moment
  let random: @Sendable () -> (UInt64, UInt64)

  func apply(_ changes: [Change]) throws {
    var known = try KnownOfAlerts(transaction)
    for change in changes {
      if PlantedBug.deviceClockAsCursor.isPlanted, try isOlderThanLastSuccess(change) { continue }
      switch change {
      case .alert(let record): try apply(record, &known)
      case .contact(let id, let record): try apply(id, record)
      case .receipt(let receipt): try apply(receipt)
      case .profile(_, let profile): try transaction.setServerProfile(profile, naming: naming)
      case .inbox(let id, let alert): try apply(id, alert)
      }
    }
  }

  private var identifiers: IdentifierSource { IdentifierSource(moment: moment, random: random) }

  private func apply(_ receipt: Receipt) throws {
    try transaction.run(
      """
      INSERT INTO receipts (id, alert_id, contact_id, contact_name, notice, channel, state, at, reason)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET contact_name = excluded.contact_name, state = iif(?10, state, excluded.state),
        at = iif(?10, at, excluded.at), reason = excluded.reason
      """,
      SQLiteValue(receipt.id), SQLiteValue(receipt.alertID), SQLiteValue(receipt.contactID),
      .text(receipt.contactName), SQLiteValue(choice: receipt.notice), SQLiteValue(choice: receipt.channel),
      SQLiteValue(choice: receipt.state), SQLiteValue(receipt.at), SQLiteValue(receipt.reason),
      SQLiteValue(receipt.unknownState != nil))
  }
}

/// What is asked once for all alerts of an answer: a first pull brings a million of them.
private struct KnownOfAlerts {
  /// The greatest of the ordinals that the server gave.
  var newestOrdinal: Int64
  let isUpdateQueued: Bool

  init(_ reading: StoreReading) throws {
    newestOrdinal =
      try reading.value("SELECT max(list_order) FROM alerts WHERE list_order < ?", .integer(ListOrder.firstLocal)) ?? 0
    isUpdateQueued = try reading.hasPendingUpdate()
  }
}

// Alerts.
extension ChangeApplier {
  /// Stores an alert. The server's end replaces one that is queued here, since it was the first. An end that is set here and that the
  /// server does not have stays: it is queued, or was discarded.
  private func apply(_ record: AlertRecord, _ known: inout KnownOfAlerts) throws {
    var record = record
    if record.ordinal <= known.newestOrdinal { try makeRoom(for: record.alert.id, at: record.ordinal) }
    known.newestOrdinal = max(known.newestOrdinal, record.ordinal)
    let endToRepeat = try reopen(record)
    try requeueLostUpdate(record)
    let lacksEnd = try lacksEnd(record)
    // A restored server may have queued an update here by now.
    let mayHoldEnd = known.isUpdateQueued || isRestoring || isResubmitting
    let held = try mayHoldEnd ? takeEndToHold(from: &record) : nil
    let alert = record.alert
    try transaction.run(
      """
      INSERT INTO alerts (id, account_id, list_order, started_at, ended_at, message, latitude, longitude, drill,
        accepted_at, end_accepted_at, server_epoch, only_contact)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET list_order = excluded.list_order, ended_at = coalesce(excluded.ended_at, ended_at),
        accepted_at = excluded.accepted_at, end_accepted_at = excluded.end_accepted_at, discarded_at = NULL,
        server_epoch = excluded.server_epoch
      """,
      SQLiteValue(alert.id), SQLiteValue(accountID), .integer(record.ordinal), SQLiteValue(alert.startedAt),
      SQLiteValue(alert.endedAt), SQLiteValue(alert.message), SQLiteValue(alert.location?.latitude),
      SQLiteValue(alert.location?.longitude),
      SQLiteValue(alert.isDrill), SQLiteValue(record.receivedAt), SQLiteValue(record.endReceivedAt), .text(naming),
      SQLiteValue(alert.onlyContact))
    if let held { try transaction.holdEnd(of: alert.id, held.endedAt, at: held.acceptedAt) }
    if let newest = record.newestUpdate { try setKnownUpdate(newest, of: alert) }
    if let endToRepeat {
      try transaction.requeueEnd(of: alert.id, seen: endToRepeat.seenUpdates, identifiers)
    } else if lacksEnd {
      try transaction.requeueEnd(of: alert.id, identifiers)
    }
    if PlantedBug.endForgotten.isPlanted { try transaction.setEnd(of: alert) }
  }

  /// A server forgets places some time after the end of an alert; this device keeps those that it knows.
  private func setKnownUpdate(_ newest: NewestUpdate, of alert: Alert) throws {
    var newest = newest
    if !alert.isActive, let known = try transaction.knownUpdate(of: alert.id), known.id == newest.id {
      newest = NewestUpdate(id: newest.id, update: newest.update.over(known.update))
    }
    try transaction.setKnownUpdate(newest, of: alert.id)
  }

  /// Takes the end out of the record while a call waits here: nobody knows yet whether the call came before that end. The person
  /// called for help, and sees an active alert until the server has decided.
  private func takeEndToHold(from record: inout AlertRecord) throws -> (endedAt: Timestamp, acceptedAt: Timestamp)? {
    guard let endedAt = record.alert.endedAt, try transaction.hasPendingCall(of: record.alert.id) else { return nil }
    let alert = record.alert
    let acceptedAt = record.endReceivedAt ?? record.receivedAt
    record.alert = Alert(
      id: alert.id, startedAt: alert.startedAt, message: alert.message, location: alert.location,
      isDrill: alert.isDrill, onlyContact: alert.onlyContact)
    record.endReceivedAt = nil
    return (endedAt, acceptedAt)
  }

  /// Takes back an end that was made here without knowing of another device's newer call for help: the server rejects that end, and the
  /// alert is active.
  ///
  /// A restored server has lost even an end that it had accepted, and may have accepted the call since. Where that may be no call, the end is to
  /// be sent again, having seen no more than before, and is given. It may also name a call that is older than what this device knows.
  ///
  /// An end that waits stays: the server decides on it. What is newest there may be a mere place, which no end has to have seen, and the
  /// process that asked may have held back this answer for minutes. So does one that waits no more: the server took it from a process that
  /// could not note that, as it fetches nothing. Only one that was refused or given up here is taken back.
  private func reopen(_ record: AlertRecord) throws -> AlertToEnd? {
    guard record.alert.isActive, let newest = record.newestUpdate else { return nil }
    let known = try transaction.knownUpdate(of: record.alert.id)
    if isRestoring, let known, known.update.at >= newest.update.at { return nil }
    let isUnseen = try transaction.hasRow(
      """
      SELECT 1 FROM alerts WHERE id = ?1 AND ended_at IS NOT NULL AND update_id IS NOT ?2
        AND (?3 OR end_accepted_at IS NULL AND (?5 OR end_discarded_at IS NOT NULL OR EXISTS (
          SELECT 1 FROM pending_mutations
          WHERE entity_id = ?1 AND kind = 'alert.deactivate' AND parked_at IS NOT NULL)))
        AND NOT EXISTS (SELECT 1 FROM presses WHERE mutation_id = ?2)
        AND NOT EXISTS (
          SELECT 1 FROM pending_mutations
          WHERE entity_id = ?1 AND kind = 'alert.deactivate' AND (parked_at IS NULL AND NOT ?5 OR sequence > ?4))
      """, SQLiteValue(record.alert.id), SQLiteValue(newest.id), SQLiteValue(isRestoring), .integer(newestSequence),
      SQLiteValue(PlantedBug.placeTakesBackEnd.isPlanted))
    guard isUnseen else { return nil }
    // With new words it is a call. Without, it may be a mere place or battery level.
    let hasNewWords = newest.update.message != nil && newest.update.message != known?.update.message
    if isRestoring, !hasNewWords, let ended = try acceptedEnd(of: record.alert.id) { return ended }
    try transaction.takeBackEnd(of: record.alert.id, newest: newest.id)
    return nil
  }

  /// The alert, if a server had accepted its end, with what that end had seen at most. Where a process could not note that, the end waits no
  /// more and was not given up.
  private func acceptedEnd(of id: AlertID) throws -> AlertToEnd? {
    let isAccepted = try transaction.hasRow(
      """
      SELECT 1 FROM alerts WHERE id = ?1 AND end_discarded_at IS NULL AND (end_accepted_at IS NOT NULL OR NOT EXISTS (
        SELECT 1 FROM pending_mutations WHERE entity_id = ?1 AND kind = 'alert.deactivate'))
      """, SQLiteValue(id))
    guard isAccepted, let alert = try transaction.alert(id) else { return nil }
    return AlertToEnd(alert: alert, seenUpdates: try transaction.seenUpdates(of: id))
  }

  /// Queues again a call for help that the server had accepted and has lost, while it still has the alert.
  private func requeueLostUpdate(_ record: AlertRecord) throws {
    let id = record.alert.id
    guard isRestoring || isResubmitting, record.alert.isActive, let known = try transaction.knownUpdate(of: id) else {
      return
    }
    let isLost = record.newestUpdate.map { $0.id != known.id && $0.update.at < known.update.at } ?? true
    let isActive = try transaction.hasRow("SELECT 1 FROM alerts WHERE id = ? AND ended_at IS NULL", SQLiteValue(id))
    guard isLost, isActive, try !transaction.hasPendingCall(of: id) else { return }
    try transaction.requeue(known, of: id, identifiers)
  }

  /// Whether the restored server got this alert from another device that did not know of its end. In the server's order the alert may be
  /// behind the place that this device's resubmission has reached.
  private func lacksEnd(_ record: AlertRecord) throws -> Bool {
    guard isResubmitting, !isRestoring, record.alert.isActive else { return false }
    return try transaction.hasRow(
      """
      SELECT 1 FROM alerts WHERE id = ?1 AND ended_at IS NOT NULL AND end_discarded_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM pending_mutations WHERE entity_id = ?1 AND kind = 'alert.deactivate')
      """, SQLiteValue(record.alert.id))
  }

  /// Moves another alert away from an ordinal that the server has given to this one, as a restored server does. The other one's own record
  /// follows, or it is queued again.
  private func makeRoom(for id: AlertID, at ordinal: Int64) throws {
    let isTaken = try transaction.hasRow(
      "SELECT 1 FROM alerts WHERE list_order = ? AND id <> ?", .integer(ordinal), SQLiteValue(id))
    guard isTaken else { return }
    try transaction.run(
      "UPDATE alerts SET list_order = ? WHERE list_order = ?", .integer(try transaction.nextListOrder()),
      .integer(ordinal))
  }
}

// Contacts.
extension ChangeApplier {
  private func apply(_ id: ContactID, _ record: ContactRecord?) throws {
    guard let record else { return try applyRemoval(id) }
    if isRestoring, try wasRemoved(id) { return try removeAgain(id) }
    let body = MutationBody.text(of: .putContact(record.details))
    if try !transaction.hasQueued(id) {
      try transaction.showContact(Contact(id: id, details: record.details))
    }
    try transaction.run(
      "UPDATE contacts SET server_state = ?, server_epoch = ?, webhook_secret = ?, tested = ?, failed = ? WHERE id = ?",
      .text(body), .text(naming), .text(record.webhookSecret),
      .text(record.tested.among(record.details.channels).lines),
      .text(record.failed.among(record.details.channels).lines), SQLiteValue(id))
    if try transaction.hasQueued(id) { try transaction.rebuildContact(id) }
  }

  private func applyRemoval(_ id: ContactID) throws {
    try transaction.setServerState(nil, naming: naming, of: EntityID(id))
    if try transaction.hasQueued(id) { return try transaction.rebuildContact(id) }
    try transaction.hideContact(id)
  }

  /// Whether the server had accepted the removal of this contact, which it names again after it was restored.
  private func wasRemoved(_ id: ContactID) throws -> Bool {
    try transaction.hasRow(
      """
      SELECT 1 FROM contacts WHERE id = ?1 AND is_removed = 1 AND server_state IS NULL AND server_epoch IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM pending_mutations WHERE entity_id = ?1 AND lane = 'routine')
      """, SQLiteValue(id))
  }

  private func removeAgain(_ id: ContactID) throws {
    let mutation = Mutation(
      id: identifiers.next(), entityID: EntityID(id), occurredAt: moment.wall, change: .removeContact)
    try transaction.enqueue(mutation, at: moment)
  }
}
