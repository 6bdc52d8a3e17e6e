import Model
import SQLiteKit

/// The numbers of rows in the queue, with the parked ones.
struct QueueCounts {
  var emergencies = 0
  var routine = 0
  var notifications = 0
  /// Of all three.
  var parked = 0

  var total: Int { emergencies + routine + notifications }
}

extension StoreReading {
  /// Reads the smallest index that has every mutation, and no body.
  func queueCounts() throws -> QueueCounts {
    try row(
      """
      SELECT count(*) AS mutations, coalesce(sum(sequence < ?), 0) AS emergencies,
        (SELECT count(*) FROM pending_notifications) AS notifications,
        (SELECT count(*) FROM pending_mutations INDEXED BY pending_mutations_parked WHERE parked_at IS NOT NULL)
          + (SELECT count(*) FROM pending_notifications INDEXED BY pending_notifications_parked
            WHERE parked_at IS NOT NULL) AS parked
      FROM pending_mutations INDEXED BY pending_mutations_entity
      """, .firstRoutineSequence
    ) { row in
      let emergencies: Int = try row["emergencies"]
      return QueueCounts(
        emergencies: emergencies, routine: try row["mutations", as: Int.self] - emergencies,
        notifications: try row["notifications"], parked: try row["parked"])
    } ?? QueueCounts()
  }

  /// The same for the planner, which a long queue must not cost more than a short one: each lane is counted up to
  /// `LaneState.countLimit`. What is parked is counted exactly.
  func boundedQueueCounts() throws -> QueueCounts {
    try row(
      """
      SELECT (SELECT count(*) FROM (SELECT 1 FROM pending_mutations NOT INDEXED WHERE sequence < ?1 LIMIT ?2))
          AS emergencies,
        (SELECT count(*) FROM (SELECT 1 FROM pending_mutations NOT INDEXED WHERE sequence > ?1 LIMIT ?2)) AS routine,
        (SELECT count(*) FROM (SELECT 1 FROM pending_notifications LIMIT ?2)) AS notifications,
        (SELECT count(*) FROM pending_mutations INDEXED BY pending_mutations_parked WHERE parked_at IS NOT NULL)
          + (SELECT count(*) FROM pending_notifications INDEXED BY pending_notifications_parked
            WHERE parked_at IS NOT NULL) AS parked
      """, .firstRoutineSequence, .laneCountLimit
    ) { row in
      QueueCounts(
        emergencies: try row["emergencies"], routine: try row["routine"], notifications: try row["notifications"],
        parked: try row["parked"])
    } ?? QueueCounts()
  }

  /// `values` and `counts` are those of the same transaction.
  func laneState(_ lane: Lane, _ values: StateValues, _ counts: QueueCounts) throws -> LaneState {
    let keys = lane.keys
    let count = try sendableCount(lane, counts)
    let newest = try newestSequence(of: lane)
    let isNewSinceFailure = newest > values.integer(keys.failedThrough) ?? 0
    return LaneState(
      count: count,
      attempts: Int(values.attempts(of: lane)),
      nextAttemptAt: isNewSinceFailure && count > 0 ? nil : values.timestamp(keys.nextAttemptAt),
      newestSequence: newest
    )
  }

  /// The usual queue has nothing parked; then the rows need not be checked one by one.
  private func sendableCount(_ lane: Lane, _ counts: QueueCounts) throws -> Int {
    switch (lane, counts.parked) {
    case (.routine, 0): counts.routine
    case (.routine, _): try sendableMutations(lane)
    case (.emergency, 0): counts.emergencies + counts.notifications
    case (.emergency, _): try sendableMutations(lane) + sendableNotifications()
    }
  }

  private func sendableMutations(_ lane: Lane) throws -> Int {
    try value(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM pending_mutations m NOT INDEXED
        WHERE sequence >= ? AND sequence < ? AND parked_at IS NULL AND NOT EXISTS (
          SELECT 1 FROM pending_mutations p
          WHERE p.entity_id = m.entity_id AND p.sequence < m.sequence AND p.parked_at IS NOT NULL)
        LIMIT ?)
      """, .integer(lane == .emergency ? .min : Lane.firstRoutineSequence),
      .integer(lane == .emergency ? Lane.firstRoutineSequence : .max), .laneCountLimit) ?? 0
  }

  /// Whether anything of an alert is queued that is not parked.
  func hasQueuedAlert() throws -> Bool {
    try hasRow(
      """
      SELECT 1 WHERE EXISTS (SELECT 1 FROM pending_mutations NOT INDEXED WHERE sequence < ? AND parked_at IS NULL)
        OR EXISTS (SELECT 1 FROM pending_notifications WHERE parked_at IS NULL)
      """, .firstRoutineSequence)
  }

  /// Whether fewer than `limit` alert mutations can be sent.
  func hasFewEmergencies(limit: Int) throws -> Bool {
    let count: Int? = try value(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM pending_mutations m NOT INDEXED
        WHERE sequence < ? AND parked_at IS NULL AND NOT EXISTS (
          SELECT 1 FROM pending_mutations p
          WHERE p.entity_id = m.entity_id AND p.sequence < m.sequence AND p.parked_at IS NOT NULL)
        LIMIT ?)
      """, .firstRoutineSequence, .integer(Int64(limit)))
    return (count ?? 0) < limit
  }

  private func sendableNotifications() throws -> Int {
    try value(
      """
      SELECT count(*) FROM pending_notifications n
      WHERE parked_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM pending_mutations p
        WHERE p.entity_id = n.alert_id AND p.sequence <= n.sequence AND p.parked_at IS NOT NULL)
      AND NOT EXISTS (
        SELECT 1 FROM pending_notifications q
        WHERE q.alert_id = n.alert_id AND q.sequence < n.sequence AND q.parked_at IS NOT NULL)
      """) ?? 0
  }

  /// The greatest sequence in the lane; 0 if it is empty.
  private func newestSequence(of lane: Lane) throws -> Int64 {
    switch lane {
    case .emergency:
      try value(
        """
        SELECT max(
          coalesce((SELECT max(sequence) FROM pending_mutations WHERE sequence < ?), 0),
          coalesce((SELECT max(sequence) FROM pending_notifications), 0))
        """, .firstRoutineSequence) ?? 0
    case .routine:
      try value("SELECT max(sequence) - ?1 FROM pending_mutations WHERE sequence > ?1", .firstRoutineSequence) ?? 0
    }
  }
}

extension SQLiteValue {
  fileprivate static let laneCountLimit = SQLiteValue.integer(Int64(LaneState.countLimit))
}

extension StateValues {
  /// How often the lane has failed. An implausible count is damage, and counts as the limit.
  func attempts(of lane: Lane) -> Int64 { min(max(0, integer(lane.keys.attempts) ?? 0), Lane.attemptCountLimit) }
}

extension Lane {
  /// The keys in `sync_state` of the lane's failures and backoff.
  var keys: (attempts: StateKey, nextAttemptAt: StateKey, failedThrough: StateKey) {
    switch self {
    case .emergency: (.emergencyAttempts, .emergencyNextAttemptAt, .emergencyFailedThrough)
    case .routine: (.routineAttempts, .routineNextAttemptAt, .routineFailedThrough)
    }
  }
}

extension StoreTransaction {
  /// Resets the lane's failures, as after a success.
  func clearFailures(of lane: Lane, _ values: StateValues) throws {
    let keys = lane.keys
    for key in [keys.attempts, keys.nextAttemptAt, keys.failedThrough] where values[key] != nil {
      try setValue(nil, for: key)
    }
  }

  /// Makes the lane due now. Its count of failures stays.
  func makeDue(_ lane: Lane) throws {
    try setValue(nil, for: lane.keys.nextAttemptAt)
    try setValue(nil, for: lane.keys.failedThrough)
    try run(
      "UPDATE pending_mutations SET next_attempt_at = 0 WHERE lane = ? AND next_attempt_at > 0",
      SQLiteValue(choice: lane))
    guard lane == .emergency else { return }
    try run("UPDATE pending_notifications SET next_attempt_at = 0 WHERE next_attempt_at > 0")
  }
}
