package import Model
import SQLiteKit

extension LocalStore {
  /// Everything queued, in order, the parked items too; a notification request follows its alert's mutation.
  package func queue() throws(LocalStoreError) -> [QueueItem] {
    try file.read { reading in
      try reading.rows(
        """
        SELECT id, kind, entity_id, lane, created_at, attempts, next_attempt_at, last_error, parked_at, parked_code,
          parked_message, body, sequence & ? AS place, 0 AS follows
        FROM pending_mutations
        UNION ALL
        SELECT id, 'notification.' || kind, alert_id, 'emergency', created_at, attempts, next_attempt_at, last_error,
          parked_at, parked_code, parked_message, '{}', sequence, 1
        FROM pending_notifications
        ORDER BY place, follows
        """, .integer(Lane.firstRoutineSequence - 1), row: QueueItem.init(row:))
    }
  }

  /// What is queued of one alert, contact or other entity, in order, the parked items too.
  package func queue(of entity: EntityID) throws(LocalStoreError) -> [QueueItem] {
    try file.read { try $0.queuedItems(of: entity, from: .integer(.min)) }
  }

  /// Unparks an item under a new id, and makes its lane due; gives the item as it is then. An item that is not parked keeps its id,
  /// since the server may have it already. Throws `notFound`.
  package func retry(_ id: String, at moment: Moment) throws(LocalStoreError) -> QueueItem {
    let newID = (identifiers(at: moment).next() as MutationID).description
    return try writeAndPoke { transaction in
      let item = try transaction.requireItem(id)
      try transaction.makeDue(item.lane)
      guard item.parked != nil else { return try transaction.requireItem(id) }
      try transaction.unpark(id, as: newID)
      return try transaction.requireItem(newID)
    }
  }

  /// Drops an item, and if it is a mutation, everything behind it of the same entity; gives what was dropped.
  ///
  /// The local view goes back to what the server last said. An alert that the server never had stays in the history, marked, and is not
  /// active. An end, once set, stays set here; `deactivateAlerts` queues it again. Throws `notFound`.
  package func discard(_ id: String, at moment: Moment) throws(LocalStoreError) -> [QueueItem] {
    try writeAndPoke { transaction in
      let item = try transaction.requireItem(id)
      if item.parked?.code == RowRepair.code { return try transaction.dropUnreadable(item) }
      guard !item.kind.hasPrefix("notification.") else {
        try transaction.keepSequences()
        try transaction.run("DELETE FROM pending_notifications WHERE id = ?", .text(id))
        return [item]
      }
      let dropped = try transaction.dropMutations(from: id, of: item.entityID)
      try transaction.undo(dropped, of: item.entityID, at: moment.wall)
      return dropped
    }
  }
}

extension StoreReading {
  fileprivate func queuedItems(of entity: EntityID, from sequence: SQLiteValue) throws -> [QueueItem] {
    try rows(
      """
      SELECT id, kind, entity_id, lane, created_at, attempts, next_attempt_at, last_error, parked_at, parked_code,
        parked_message, body, sequence, 0 AS follows
      FROM pending_mutations WHERE entity_id = ?1 AND sequence >= ?2
      UNION ALL
      SELECT id, 'notification.' || kind, alert_id, 'emergency', created_at, attempts, next_attempt_at, last_error,
        parked_at, parked_code, parked_message, '{}', sequence, 1
      FROM pending_notifications WHERE alert_id = ?1 AND sequence >= ?2
      ORDER BY sequence, follows
      """, SQLiteValue(entity), sequence, row: QueueItem.init(row:))
  }

  fileprivate func requireItem(_ id: String) throws -> QueueItem {
    let item =
      try row(
        """
        SELECT id, kind, entity_id, lane, created_at, attempts, next_attempt_at, last_error, parked_at, parked_code,
          parked_message, body
        FROM pending_mutations WHERE id = ?
        """, .text(id), row: QueueItem.init(row:))
      ?? row(
        """
        SELECT id, 'notification.' || kind AS kind, alert_id AS entity_id, 'emergency' AS lane, created_at, attempts,
          next_attempt_at, last_error, parked_at, parked_code, parked_message, '{}' AS body
        FROM pending_notifications WHERE id = ?
        """, .text(id), row: QueueItem.init(row:))
    guard let item else { throw LocalStoreError(.notFound, "nothing with this id is queued") }
    return item
  }
}

extension StoreTransaction {
  /// Drops an unreadable item alone: its entity may be unknown, so that nothing can be said to be behind it.
  fileprivate func dropUnreadable(_ item: QueueItem) throws -> [QueueItem] {
    try keepSequences()
    try run("DELETE FROM pending_mutations WHERE id = ? AND parked_code = ?", .text(item.id), .text(RowRepair.code))
    try run("DELETE FROM pending_notifications WHERE id = ? AND parked_code = ?", .text(item.id), .text(RowRepair.code))
    return [item]
  }

  /// Lets a refused item be retried, under an id that is new to the server.
  func unpark(_ id: String, as newID: String) throws {
    try run(
      """
      UPDATE pending_mutations SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL, attempts = 0,
        next_attempt_at = 0, last_error = NULL
      WHERE id = ?
      """, .text(newID), .text(id))
    try run(
      """
      UPDATE pending_notifications SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL,
        attempts = 0, next_attempt_at = 0, last_error = NULL
      WHERE id = ?
      """, .text(newID), .text(id))
  }

  /// Removes the mutation and everything behind it of its entity, and gives all that in order.
  fileprivate func dropMutations(from id: String, of entity: EntityID) throws -> [QueueItem] {
    let first: Int64? = try value("SELECT sequence FROM pending_mutations WHERE id = ?", .text(id))
    let sequence = SQLiteValue.integer(first ?? .max)
    let dropped = try queuedItems(of: entity, from: sequence)
    try keepSequences()
    try run("DELETE FROM pending_notifications WHERE alert_id = ? AND sequence >= ?", SQLiteValue(entity), sequence)
    try run("DELETE FROM pending_mutations WHERE entity_id = ? AND sequence >= ?", SQLiteValue(entity), sequence)
    return dropped
  }

  /// Reverts in the local view what was dropped from the queue.
  fileprivate func undo(_ dropped: [QueueItem], of entity: EntityID, at time: Timestamp) throws {
    let kinds = Set(dropped.map(\.kind))
    if kinds.contains(Mutation.Kind.activateAlert.rawValue) {
      try run(
        "UPDATE alerts SET discarded_at = ? WHERE id = ? AND accepted_at IS NULL", SQLiteValue(time),
        SQLiteValue(entity))
    }
    if kinds.contains(Mutation.Kind.updateAlert.rawValue) { try releaseHeldEnd(of: AlertID(entity)) }
    // Also of a discarded alert: the server may have it all the same, and then its end can still be sent.
    if kinds.contains(Mutation.Kind.deactivateAlert.rawValue) {
      try run(
        "UPDATE alerts SET end_discarded_at = ? WHERE id = ? AND end_accepted_at IS NULL", SQLiteValue(time),
        SQLiteValue(entity))
    }
    if dropped.allSatisfy({ $0.kind.hasPrefix("contact.") }) { try rebuildContact(ContactID(entity)) }
  }
}

extension QueueItem {
  /// The columns `id, kind, entity_id, lane, created_at, attempts, next_attempt_at, last_error, parked_at, parked_code,
  /// parked_message, body`.
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    var parked: Parked?
    if let at: Timestamp = try row["parked_at"] {
      parked = Parked(at: at, code: try row["parked_code"], message: try row["parked_message"])
    }
    let nextAttemptAt: Timestamp = try row["next_attempt_at"]
    let isWaiting = parked == nil && nextAttemptAt.milliseconds > 0
    self.init(
      id: try row["id"], kind: try row["kind"],
      entityID: try Self.entityID(row["entity_id"], isUnreadable: parked?.code == RowRepair.code),
      lane: try row.choice("lane"), createdAt: try row["created_at"], attempts: try row["attempts"],
      nextAttemptAt: isWaiting ? nextAttemptAt : nil, lastError: try row["last_error"], parked: parked,
      body: try row["body"])
  }

  /// All zeros if the row is parked as unreadable: it is shown all the same.
  private static func entityID(_ text: String, isUnreadable: Bool) throws(SQLiteError) -> EntityID {
    if let entity = EntityID(text) { return entity }
    guard isUnreadable, let none = EntityID("00000000-0000-0000-0000-000000000000") else {
      throw .unreadableValue(of: "entity_id")
    }
    return none
  }
}
