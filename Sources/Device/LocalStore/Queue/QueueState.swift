import Model
import SQLiteKit

/// How many rows the queue holds, the parked too.
struct QueueCounts {
  var emergencies: Int
  var routine: Int
  var notifications: Int
  /// Of all of them.
  var parked: Int

  var total: Int { emergencies + routine + notifications }
}

extension Connection {
  func queueCounts() throws -> QueueCounts {
    let counts = try statement(
      """
      SELECT (SELECT count(*) FROM pending_mutations WHERE sequence < ?),
        (SELECT count(*) FROM pending_mutations INDEXED BY pending_mutations_routine WHERE lane = 'routine'),
        (SELECT count(*) FROM pending_notifications),
        (SELECT count(*) FROM pending_mutations INDEXED BY pending_mutations_parked WHERE parked_at IS NOT NULL)
          + (SELECT count(*) FROM pending_notifications INDEXED BY pending_notifications_parked
            WHERE parked_at IS NOT NULL)
      """
    ).first(.firstRoutineSequence) { row in
      QueueCounts(
        emergencies: Int(row.integer(0)), routine: Int(row.integer(1)), notifications: Int(row.integer(2)),
        parked: Int(row.integer(3)))
    }
    return counts ?? QueueCounts(emergencies: 0, routine: 0, notifications: 0, parked: 0)
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
      nextAttemptAt: isNewSinceFailure && count > 0 ? nil : values.time(keys.nextAttemptAt),
      newestSequence: newest
    )
  }

  /// The usual queue has nothing parked; then the rows need not be looked at one by one.
  private func sendableCount(_ lane: Lane, _ counts: QueueCounts) throws -> Int {
    switch (lane, counts.parked) {
    case (.routine, 0): counts.routine
    case (.routine, _): try sendableMutations(lane)
    case (.emergency, 0): counts.emergencies + counts.notifications
    case (.emergency, _): try sendableMutations(lane) + sendableNotifications()
    }
  }

  private func sendableMutations(_ lane: Lane) throws -> Int {
    try statement(
      """
      SELECT count(*) FROM pending_mutations m
      WHERE lane = ? AND parked_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM pending_mutations p
        WHERE p.entity_id = m.entity_id AND p.sequence < m.sequence AND p.parked_at IS NOT NULL)
      """
    ).first(.text(lane.rawValue)) { Int($0.integer(0)) } ?? 0
  }

  /// Whether fewer of them can be sent than `limit`.
  func hasFewEmergencies(limit: Int) throws -> Bool {
    let count = try statement(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM pending_mutations m NOT INDEXED
        WHERE sequence < ? AND parked_at IS NULL AND NOT EXISTS (
          SELECT 1 FROM pending_mutations p
          WHERE p.entity_id = m.entity_id AND p.sequence < m.sequence AND p.parked_at IS NOT NULL)
        LIMIT ?)
      """
    ).first(.firstRoutineSequence, .integer(Int64(limit))) { Int($0.integer(0)) }
    return (count ?? 0) < limit
  }

  private func sendableNotifications() throws -> Int {
    try statement(
      """
      SELECT count(*) FROM pending_notifications n
      WHERE parked_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM pending_mutations p
        WHERE p.entity_id = n.alert_id AND p.sequence <= n.sequence AND p.parked_at IS NOT NULL)
      AND NOT EXISTS (
        SELECT 1 FROM pending_notifications q
        WHERE q.alert_id = n.alert_id AND q.sequence < n.sequence AND q.parked_at IS NOT NULL)
      """
    ).first { Int($0.integer(0)) } ?? 0
  }

  /// The greatest sequence in the lane; 0 where it is empty.
  private func newestSequence(of lane: Lane) throws -> Int64 {
    switch lane {
    case .emergency:
      try statement(
        """
        SELECT max(
          coalesce((SELECT max(sequence) FROM pending_mutations WHERE sequence < ?), 0),
          coalesce((SELECT max(sequence) FROM pending_notifications), 0))
        """
      ).first(.firstRoutineSequence) { $0.integer(0) } ?? 0
    case .routine:
      try statement(
        "SELECT max(sequence) - ?1 FROM pending_mutations WHERE sequence > ?1"
      ).first(.firstRoutineSequence) { $0.integer(0) } ?? 0
    }
  }
}

extension StateValues {
  /// How often the lane failed. More than can have been is damage, and counts as very often.
  func attempts(of lane: Lane) -> Int64 { min(max(0, integer(lane.keys.attempts) ?? 0), 1_000_000) }
}

extension Lane {
  /// Where `sync_state` keeps how long the lane is to wait.
  var keys: (attempts: StateKey, nextAttemptAt: StateKey, failedThrough: StateKey) {
    switch self {
    case .emergency: (.emergencyAttempts, .emergencyNextAttemptAt, .emergencyFailedThrough)
    case .routine: (.routineAttempts, .routineNextAttemptAt, .routineFailedThrough)
    }
  }
}

extension Connection {
  /// Forgets the lane's failures, as after a success.
  func clearFailures(of lane: Lane, _ values: StateValues) throws {
    let keys = lane.keys
    for key in [keys.attempts, keys.nextAttemptAt, keys.failedThrough] where values[key] != nil {
      try setValue(nil, for: key)
    }
  }

  /// Lets the lane be tried at once. How often it failed stays.
  func makeDue(_ lane: Lane) throws {
    try setValue(nil, for: lane.keys.nextAttemptAt)
    try setValue(nil, for: lane.keys.failedThrough)
    try statement("UPDATE pending_mutations SET next_attempt_at = 0 WHERE lane = ? AND next_attempt_at > 0")
      .run(.text(lane.rawValue))
    guard lane == .emergency else { return }
    try statement("UPDATE pending_notifications SET next_attempt_at = 0 WHERE next_attempt_at > 0").run()
  }
}
