import Model
import SQLiteKit

/// How many rows the queue holds.
struct QueueCounts {
  /// Mutations and notification requests, the parked too.
  var total: Int
  var parked: Int
}

extension Connection {
  func queueCounts() throws -> QueueCounts {
    try statement(
      """
      SELECT (SELECT count(*) FROM pending_mutations) + (SELECT count(*) FROM pending_notifications),
        (SELECT count(*) FROM pending_mutations WHERE parked_at IS NOT NULL)
          + (SELECT count(*) FROM pending_notifications WHERE parked_at IS NOT NULL)
      """
    ).first { QueueCounts(total: Int($0.integer(0)), parked: Int($0.integer(1))) } ?? QueueCounts(total: 0, parked: 0)
  }

  /// `values` are those of the same transaction.
  func laneState(_ lane: Lane, _ values: StateValues) throws -> LaneState {
    let hasParked = try queueCounts().parked > 0
    var (count, newest) = try mutationCount(lane, hasParked: hasParked)
    if lane == .emergency {
      let notifications = try notificationCount()
      count += notifications.count
      newest = max(newest, notifications.newest)
    }
    let keys = lane.keys
    let isNewSinceFailure = newest > values.integer(keys.failedThrough) ?? 0
    return LaneState(
      count: count,
      attempts: Int(values.integer(keys.attempts) ?? 0),
      nextAttemptAt: isNewSinceFailure && count > 0 ? nil : values.time(keys.nextAttemptAt),
      newestSequence: newest
    )
  }

  /// The rows of the lane that can be sent, and the newest of all its rows. The usual queue has nothing parked; then the
  /// rows need not be looked at one by one.
  private func mutationCount(_ lane: Lane, hasParked: Bool) throws -> (count: Int, newest: Int64) {
    if hasParked { return try sendableCount(lane) }
    switch lane {
    case .emergency:
      return try counted(
        statement(
          """
          SELECT count(*), max(sequence) FROM pending_mutations INDEXED BY pending_mutations_emergency
          WHERE lane = 'emergency'
          """))
    case .routine:
      return try counted(
        statement(
          """
          SELECT (SELECT count(*) FROM pending_mutations)
              - (SELECT count(*) FROM pending_mutations INDEXED BY pending_mutations_emergency
                WHERE lane = 'emergency'),
            (SELECT sequence FROM pending_mutations WHERE lane = 'routine' ORDER BY sequence DESC LIMIT 1)
          """))
    }
  }

  private func sendableCount(_ lane: Lane) throws -> (count: Int, newest: Int64) {
    try statement(
      """
      SELECT count(*), max(sequence) FROM pending_mutations m
      WHERE lane = ? AND parked_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM pending_mutations p
        WHERE p.entity_id = m.entity_id AND p.sequence < m.sequence AND p.parked_at IS NOT NULL)
      """
    ).first(.text(lane.rawValue)) { (Int($0.integer(0)), $0.integer(1)) } ?? (0, 0)
  }

  private func notificationCount() throws -> (count: Int, newest: Int64) {
    try counted(
      statement(
        """
        SELECT count(*), max(sequence) FROM pending_notifications n
        WHERE parked_at IS NULL AND NOT EXISTS (
          SELECT 1 FROM pending_mutations p
          WHERE p.entity_id = n.alert_id AND p.sequence <= n.sequence AND p.parked_at IS NOT NULL)
        AND NOT EXISTS (
          SELECT 1 FROM pending_notifications q
          WHERE q.alert_id = n.alert_id AND q.sequence < n.sequence AND q.parked_at IS NOT NULL)
        """))
  }

  private func counted(_ statement: Statement) throws -> (count: Int, newest: Int64) {
    try statement.first { (Int($0.integer(0)), $0.integer(1)) } ?? (0, 0)
  }
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
