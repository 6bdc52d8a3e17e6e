import Model
import PlantedBugs
import SQLiteKit
import Wire

/// Makes ids that carry the time of one moment.
struct IdentifierSource {
  let moment: Moment
  let random: @Sendable () -> (UInt64, UInt64)

  func next<Subject>() -> Identifier<Subject> { Identifier(versionSevenAt: moment.wall, random: random()) }
}

// How items get into the queue.
extension StoreTransaction {
  /// Queues a mutation and gives its sequence, which a notification request needs.
  @discardableResult
  func enqueue(_ mutation: Mutation, at moment: Moment) throws -> Int64 {
    try enqueue(
      SyncRequestWriter.QueuedMutation(
        id: mutation.id, kind: mutation.change.kind, entityID: mutation.entityID, occurredAt: mutation.occurredAt,
        body: MutationBody.text(of: mutation.change)),
      at: moment)
  }

  /// Queues a mutation whose body is JSON text already, and gives its sequence.
  @discardableResult
  func enqueue(_ mutation: SyncRequestWriter.QueuedMutation, at moment: Moment) throws -> Int64 {
    let lane = mutation.kind.lane
    if mutation.kind.isDated { try noteBoot(of: moment) }
    let sequence = try newestSequence() + 1 + lane.firstSequence
    try run(
      """
      INSERT INTO pending_mutations (sequence, id, account_id, entity_id, kind, lane, occurred_at, body, created_at,
        created_monotonic)
      VALUES (?, ?, (SELECT value FROM sync_state WHERE key = 'account_id'), ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(sequence), SQLiteValue(mutation.id), SQLiteValue(mutation.entityID), SQLiteValue(choice: mutation.kind),
      SQLiteValue(choice: lane), SQLiteValue(mutation.occurredAt), .text(mutation.body), SQLiteValue(moment.wall),
      .integer(moment.monotonicMilliseconds))
    return sequence
  }

  /// Queues the request to notify responders, behind the alert's mutation with this sequence.
  func enqueue(_ notification: NotificationRequest, behind sequence: Int64, at moment: Moment) throws {
    try run(
      """
      INSERT INTO pending_notifications (sequence, id, account_id, alert_id, kind, created_at)
      VALUES (?, ?, (SELECT value FROM sync_state WHERE key = 'account_id'), ?, ?, ?)
      """,
      .integer(sequence), SQLiteValue(notification.id), SQLiteValue(notification.alertID),
      SQLiteValue(choice: notification.notice), SQLiteValue(moment.wall))
  }

  /// Stores and queues a new alert: its mutation, its row and its notification request.
  func insert(_ raised: RaisedAlert, at moment: Moment) throws {
    if PlantedBug.mutationApart.isPlanted { try insertRow(raised, apart: true) }
    let sequence = try enqueue(raised.mutation, at: moment)
    if !PlantedBug.mutationApart.isPlanted { try insertRow(raised) }
    try enqueue(raised.notification, behind: sequence, at: moment)
  }

  /// Stores the alert's row alone, as the newest of the list.
  func insertRow(_ raised: RaisedAlert) throws {
    let activation = raised.activation
    try run(
      """
      INSERT INTO alerts (id, account_id, list_order, started_at, message, latitude, longitude, drill,
        utc_offset_minutes, started_monotonic, only_contact, server_offset)
      VALUES (?, (SELECT value FROM sync_state WHERE key = 'account_id'), ?, ?, ?, ?, ?, ?, ?, ?, ?,
        (SELECT CAST(value AS INTEGER) FROM sync_state WHERE key = 'server_offset'))
      """,
      SQLiteValue(raised.id), .integer(try nextListOrder()), SQLiteValue(activation.startedAt),
      SQLiteValue(activation.message), SQLiteValue(activation.location?.latitude),
      SQLiteValue(activation.location?.longitude), SQLiteValue(activation.isDrill),
      SQLiteValue(activation.utcOffsetMinutes.map(Int64.init)), .integer(raised.startedMonotonicMilliseconds),
      SQLiteValue(activation.onlyContact))
  }

  /// The `list_order` of a further alert that the server has given no ordinal yet: it comes after all others.
  ///
  /// Only the transaction that reads it may use it: another process may take it afterwards.
  func nextListOrder() throws -> Int64 {
    try value(
      """
      SELECT max(?1, coalesce(max(list_order), 0) + 1) FROM alerts WHERE list_order < ?2
      """, .integer(ListOrder.firstLocal), .integer(ListOrder.implausible)) ?? ListOrder.firstLocal
  }

  /// Keeps the sequences of rows that are about to be removed from being used again.
  func keepSequences() throws {
    try setValue(try newestSequence(), for: .sequenceFloor)
  }
}

extension StoreReading {
  /// The greatest sequence that was ever used, in either lane and without what the lane adds.
  func newestSequence() throws -> Int64 {
    try value(
      """
      SELECT max(
        coalesce((SELECT max(sequence) FROM pending_mutations WHERE sequence < ?2), 0),
        coalesce((SELECT max(sequence) - ?1 FROM pending_mutations WHERE sequence > ?1 AND sequence < ?1 + ?2), 0),
        coalesce((SELECT max(sequence) FROM pending_notifications WHERE sequence < ?2), 0),
        coalesce((SELECT CAST(value AS INTEGER) FROM sync_state
          WHERE key = 'sequence_floor' AND CAST(value AS INTEGER) < ?2), 0))
      """, .firstRoutineSequence, .integer(Lane.implausibleSequence)) ?? 0
  }

  func hasAlert(_ id: AlertID) throws -> Bool {
    try hasRow("SELECT 1 FROM alerts WHERE id = ?", SQLiteValue(id))
  }
}
