package import Model
import SQLiteKit

extension LocalStore {
  /// Everything queued, in order, the parked too; a notification request follows its alert's mutation.
  package func queue() throws(LocalStoreError) -> [QueueItem] {
    try file.read { connection in
      try connection.statement(
        """
        SELECT id, kind, entity_id, lane, created_at, attempts, next_attempt_at, last_error, parked_at, parked_code,
          parked_message, body, sequence & 2305843009213693951, 0 AS follows
        FROM pending_mutations
        UNION ALL
        SELECT id, 'notification.' || kind, alert_id, 'emergency', created_at, attempts, next_attempt_at, last_error,
          parked_at, parked_code, parked_message, '{}', sequence, 1
        FROM pending_notifications
        ORDER BY 13, 14
        """
      ).all { try $0.queueItem() }
    }
  }

  /// Unparks an item under a new id, and makes its lane due; gives the item as it is then. One that is not parked keeps its
  /// id, since the server may have it already. Throws `notFound`.
  package func retry(_ id: String, at moment: Moment) throws(LocalStoreError) -> QueueItem {
    let newID = (identifiers(at: moment).next() as MutationID).description
    return try writeAndPoke { connection in
      let item = try connection.requireItem(id)
      try connection.makeDue(item.lane)
      guard item.parked != nil else { return try connection.requireItem(id) }
      try connection.unpark(id, as: newID)
      return try connection.requireItem(newID)
    }
  }

  /// Drops an item, and where it is a mutation, what stands behind it of the same entity; gives what was dropped.
  ///
  /// The local view goes back to what the server last said. An alert that the server never had stays in the history,
  /// marked, and is not active. An end, once set, stands here; `deactivateAlerts` queues it again. Throws `notFound`.
  package func discard(_ id: String, at moment: Moment) throws(LocalStoreError) -> [QueueItem] {
    try writeAndPoke { connection in
      let item = try connection.requireItem(id)
      if item.parked?.code == RowMender.code { return try connection.dropUnreadable(item) }
      guard !item.kind.hasPrefix("notification.") else {
        try connection.keepSequences()
        try connection.statement("DELETE FROM pending_notifications WHERE id = ?").run(.text(id))
        return [item]
      }
      let dropped = try connection.dropMutations(from: id, of: item.entityID)
      try connection.forget(dropped, of: item.entityID, at: moment.wall)
      return dropped
    }
  }
}

extension Connection {
  /// Whose entity may not be known: nothing can be said to stand behind it.
  fileprivate func dropUnreadable(_ item: QueueItem) throws -> [QueueItem] {
    try keepSequences()
    try statement("DELETE FROM pending_mutations WHERE id = ? AND parked_code = 'unreadable'").run(.text(item.id))
    try statement("DELETE FROM pending_notifications WHERE id = ? AND parked_code = 'unreadable'").run(.text(item.id))
    return [item]
  }

  fileprivate func requireItem(_ id: String) throws -> QueueItem {
    let item =
      try statement(
        """
        SELECT id, kind, entity_id, lane, created_at, attempts, next_attempt_at, last_error, parked_at, parked_code,
          parked_message, body
        FROM pending_mutations WHERE id = ?
        """
      ).first(.text(id)) { try $0.queueItem() }
      ?? statement(
        """
        SELECT id, 'notification.' || kind, alert_id, 'emergency', created_at, attempts, next_attempt_at, last_error,
          parked_at, parked_code, parked_message, '{}'
        FROM pending_notifications WHERE id = ?
        """
      ).first(.text(id)) { try $0.queueItem() }
    guard let item else { throw LocalStoreError(.notFound, "nothing with this id is queued") }
    return item
  }

  /// Lets a refused item be tried again, as another one to the server.
  func unpark(_ id: String, as newID: String) throws {
    for update in [
      try statement(
        """
        UPDATE pending_mutations SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL, attempts = 0,
          next_attempt_at = 0, last_error = NULL
        WHERE id = ?
        """),
      try statement(
        """
        UPDATE pending_notifications SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL,
          attempts = 0, next_attempt_at = 0, last_error = NULL
        WHERE id = ?
        """),
    ] { try update.run(.text(newID), .text(id)) }
  }

  /// Removes the mutation and what stands behind it of its entity, and gives all that in order.
  fileprivate func dropMutations(from id: String, of entity: EntityID) throws -> [QueueItem] {
    let first = try statement("SELECT sequence FROM pending_mutations WHERE id = ?").first(.text(id)) { $0.integer(0) }
    let sequence = SQLiteValue.integer(first ?? .max)
    let dropped = try statement(
      """
      SELECT id, kind, entity_id, lane, created_at, attempts, next_attempt_at, last_error, parked_at, parked_code,
        parked_message, body, sequence, 0 AS follows
      FROM pending_mutations WHERE entity_id = ?1 AND sequence >= ?2
      UNION ALL
      SELECT id, 'notification.' || kind, alert_id, 'emergency', created_at, attempts, next_attempt_at, last_error,
        parked_at, parked_code, parked_message, '{}', sequence, 1
      FROM pending_notifications WHERE alert_id = ?1 AND sequence >= ?2
      ORDER BY 13, 14
      """
    ).all(SQLiteValue(entity), sequence) { try $0.queueItem() }
    try keepSequences()
    try statement("DELETE FROM pending_notifications WHERE alert_id = ? AND sequence >= ?")
      .run(SQLiteValue(entity), sequence)
    try statement("DELETE FROM pending_mutations WHERE entity_id = ? AND sequence >= ?")
      .run(SQLiteValue(entity), sequence)
    return dropped
  }

  /// Brings the local view in line with what is queued no more.
  fileprivate func forget(_ dropped: [QueueItem], of entity: EntityID, at time: Timestamp) throws {
    let kinds = Set(dropped.map(\.kind))
    if kinds.contains(Mutation.Kind.activateAlert.rawValue) {
      try statement("UPDATE alerts SET discarded_at = ? WHERE id = ? AND accepted_at IS NULL")
        .run(SQLiteValue(time), SQLiteValue(entity))
    }
    if kinds.contains(Mutation.Kind.updateAlert.rawValue) { try releaseHeldEnd(of: AlertID(entity)) }
    // Of an alert that was given up too: the server may have it all the same, and then its end can still be sent.
    if kinds.contains(Mutation.Kind.deactivateAlert.rawValue) {
      try statement("UPDATE alerts SET end_discarded_at = ? WHERE id = ? AND end_accepted_at IS NULL")
        .run(SQLiteValue(time), SQLiteValue(entity))
    }
    if dropped.allSatisfy({ $0.lane == .routine }) {
      try relayContact(ContactID(entity))
    }
  }
}

extension Statement {
  /// The columns `id, kind, entity, lane, created_at, attempts, next_attempt_at, last_error, parked_at, parked_code,
  /// parked_message, body`.
  fileprivate func queueItem() throws -> QueueItem {
    let parked = optionalTime(8).map { QueueItem.Parked(at: $0, code: text(9), message: text(10)) }
    let isWaiting = parked == nil && integer(6) > 0
    return QueueItem(
      id: text(0), kind: text(1), entityID: try entity(2, isUnreadable: parked?.code == RowMender.code),
      lane: try enumeration(3), createdAt: time(4),
      attempts: Int(integer(5)), nextAttemptAt: isWaiting ? time(6) : nil, lastError: optionalText(7), parked: parked,
      body: text(11)
    )
  }

  /// All zeros where the row is parked because it cannot be read: it is shown all the same.
  private func entity(_ column: Int32, isUnreadable: Bool) throws -> EntityID {
    if let entity = EntityID(text(column)) { return entity }
    guard isUnreadable, let none = EntityID("00000000-0000-0000-0000-000000000000") else {
      throw LocalStoreError.unreadableRow
    }
    return none
  }
}
