import LocalStore
import Model
import SQLiteKit
import Testing
import Wire

/// Numbers that no normal store reaches: in a damaged store, or from a faulty server.
@Suite struct `A number at its maximum` {
  let device: Device
  let store: LocalStore

  init() throws {
    device = Device()
    store = try device.open()
  }

  private func change(_ statement: StaticString, _ value: SQLiteValue) throws {
    try device.withConnection { connection in
      try connection.execute("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
      try connection.statement(statement).run(value)
      #expect(connection.changedRows > 0)
    }
  }

  /// Expects that another alert is queued, not spooled, and can be sent.
  private func raiseAnother() throws {
    _ = try store.deactivateAlerts(at: device.now)
    let activation = try store.activateAlert(AlertDraft(message: "again"), at: device.now)
    #expect(!activation.alreadyActive)
    #expect(!activation.isSpooled)
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.contains { $0.entityID == EntityID(activation.alert.id) })
    #expect(try store.status().alert?.id == activation.alert.id)
  }

  @Test(arguments: [Int64.max, Int64.max - 1]) func `in the history does not keep an alert out of the queue`(
    place: Int64
  ) throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    try change("UPDATE alerts SET list_order = ?", .integer(place))
    try raiseAnother()
  }

  @Test(arguments: [Int64.max, Int64(1) << 61, Int64(1) << 60])
  func `as the sequence floor does not stop the queue`(
    number: Int64
  ) throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    try store.exchange(.emergency, at: device.now)
    try change("UPDATE sync_state SET value = ? WHERE key = 'sequence_floor'", .text(String(number)))
    try raiseAnother()
  }

  @Test(arguments: [Int64.max, Int64(1) << 61]) func `in the queue does not stop it`(number: Int64) throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    try change("UPDATE pending_notifications SET sequence = ?", .integer(number))
    try raiseAnother()
  }

  @Test func `of attempts can still be incremented`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let batch = try store.nextBatch(.all(.emergency))
    let failure = SyncFailure(.offline, "no")
    try store.recordFailure(of: batch, nextAttemptAt: device.now.wall, error: failure, at: device.now)
    try change("UPDATE sync_state SET value = ? WHERE key = 'emergency_attempts'", .text(String(Int64.max)))
    try change("UPDATE pending_mutations SET attempts = ?", .integer(.max))
    try change("UPDATE pending_notifications SET attempts = ?", .integer(.max))
    #expect(try store.syncState().emergency.attempts < 1 << 32)
    try store.recordFailure(of: batch, nextAttemptAt: device.now.wall, error: failure, at: device.now)
    #expect(try store.syncState().emergency.attempts < 1 << 32)
    #expect(try store.queue().count == 2)
  }
}
