import Model
import PlantedBugs
import SQLiteKit
import SystemKit
import TestSupport
import Testing
import Wire

@testable import LocalStore

/// What a device with a long history does for a server that was restored from a backup.
@Suite struct `A long history` {
  /// Instructions of SQLite's machine: few milliseconds. An alert that is being raised waits for no more than that.
  static let mostWork = 150_000

  let device = Device()

  @Test(.enabled(if: !ThreadSanitizer.isOn, "it counts the work of one thread, which takes the sanitizer four minutes"))
  func `is offered to a restored server in short steps of the lock`() throws {
    try device.fill(alerts: 5000)
    let work = WorkLog()
    let store = try device.open { $0.noteWork = { work.note($0) } }
    try store.meetEpoch("two", device)
    let (offered, most) = try store.sendAll(device, epoch: "two")
    #expect(offered.count == 5000)
    #expect(Set(offered).count == 5000, "each alert is offered once")
    #expect(most <= 200, "an alert that is raised meanwhile waits for few others")
    #expect(work.most <= Self.mostWork)
    #expect(try store.syncState().emergency.count == 0)
  }

  @Test func `holds the lock long if it is queued in one transaction`() throws {
    try device.fill(alerts: 5000)
    let work = WorkLog()
    let store = try device.open { $0.noteWork = { work.note($0) } }
    try PlantedBug.plant(.historyInOneTransaction) { try store.meetEpoch("two", device) }
    #expect(work.most > 10 * Self.mostWork)
  }

  @Test func `is searched without a scan of any table`() throws {
    try device.fill(alerts: 300)
    let store = try device.open()
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    try store.exchange(.routine, cursor: "c2", at: device.now)
    try store.meetEpoch("two", device)
    _ = try store.sendAll(device, epoch: "two")
    let plans = try store.file.read { try $0.queryPlans().map { PlanOfStatement(sql: $0.sql, lines: $0.lines) } }
    #expect(plans.count > 30)
    // These two are read without the lock: the length of the queue, and the requests in order up to as many as are
    // sent.
    let others = ["count(*) FROM pending_mutations", "WHERE m.sequence = n.sequence"]
    for plan in plans where !others.contains(where: { plan.sql.contains($0) }) {
      #expect(plan.scans.isEmpty, "\(plan.sql)")
    }
  }

  @Test func `comes after the active alert and the outstanding notifications`() throws {
    try device.fill(alerts: 300)
    let store = try device.open()
    let active = try store.activateAlert(AlertDraft(message: "help"), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(active, ordinal: 1000))], cursor: "c2", at: device.now)
    try store.meetEpoch("two", device)
    let first = try store.nextBatch(.all(.emergency))
    #expect(first.mutations.first?.entityID == EntityID(active.id))
    #expect(first.notifications.map(\.notice) == [.activated])
    let (offered, _) = try store.sendAll(device, epoch: "two")
    #expect(offered.first == EntityID(active.id))
    #expect(Set(offered).count == 301)
    #expect(offered.count == 301)
  }

  /// The server may put it off: an old alert that waits for room must not hold up a call for help, nor may its bytes.
  @Test func `is overtaken by a new alert and its end`() throws {
    try device.fill(alerts: 300)
    let store = try device.open()
    try store.meetEpoch("two", device)
    #expect(try store.nextBatch(.all(.emergency)).mutations.count > 1)
    let alert = try store.activateAlert(AlertDraft(message: "help"), at: device.now).alert
    var batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.entityID) == [EntityID(alert.id)])
    #expect(batch.notifications.map(\.alertID) == [alert.id])
    _ = try store.apply(.accepting(batch, epoch: "two", cursor: "d"), to: batch, at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.kind) == [.deactivateAlert])
    _ = try store.apply(.accepting(batch, epoch: "two", cursor: "d"), to: batch, at: device.now)
    #expect(try Set(store.sendAll(device, epoch: "two").0).count == 300, "and then all of it is offered")
  }

  @Test func `is offered completely by the next process after a kill`() throws {
    try device.fill(alerts: 300)
    var store = try device.open()
    try store.meetEpoch("two", device)
    var offered: [EntityID] = []
    for _ in 0..<100 {
      let batch = try store.nextBatch(.all(.emergency))
      guard !batch.isEmpty else { break }
      offered += batch.mutations.filter { $0.kind == .activateAlert }.map(\.entityID)
      _ = try store.apply(.accepting(batch, epoch: "two", cursor: batch.cursor ?? "d"), to: batch, at: device.now)
      store.close()
      store = try device.open()
    }
    #expect(offered.count == 300)
    #expect(Set(offered).count == 300)
    #expect(try !store.isResubmitting())
  }

  /// Found by the simulator (seed 732): each end was offered thrice, and responders heard of it as often.
  @Test func `is offered once even if the session has expired meanwhile`() throws {
    try device.fill(alerts: 200)
    let store = try device.open()
    try store.meetEpoch("two", device)
    var offered: [SyncRequestWriter.QueuedMutation] = []
    for _ in 0..<20 {
      var selection = BatchSelection.all(.emergency)
      selection.isAlertKeyOnly = true
      let batch = try store.nextBatch(selection)
      guard !batch.isEmpty else { break }
      offered += batch.mutations
      _ = try store.apply(.accepting(batch, epoch: "two"), to: batch, at: device.now)
    }
    for kind in [Mutation.Kind.activateAlert, .deactivateAlert] {
      let alerts = offered.filter { $0.kind == kind }.map(\.entityID)
      #expect(alerts.count == 200, "\(kind)")
      #expect(Set(alerts).count == 200, "\(kind)")
    }
  }

  @Test func `is offered again to a server that is restored once more before the end`() throws {
    try device.fill(alerts: 300)
    let store = try device.open()
    try store.meetEpoch("two", device)
    try store.exchange(.emergency, epoch: "two", cursor: "d2", at: device.now)
    try store.meetEpoch("three", device)
    let (offered, _) = try store.sendAll(device, epoch: "three")
    #expect(Set(offered).count == 300)
  }

  /// Found by the simulator (seed 2347): the alert stood at a new place then, behind the one that the resubmission had
  /// come to.
  @Test func `is offered with the end of an alert that another device first offered as active`() throws {
    try device.fill(alerts: 300)
    let store = try device.open()
    try store.meetEpoch("two", device)
    let id = AlertID(versionSevenAt: Timestamp(milliseconds: 200), random: (7, 200))
    let active = Alert(id: id, startedAt: Timestamp(milliseconds: 200), message: "help")
    try store.exchange(
      .routine, changes: [.alert(.of(active, ordinal: 1))], epoch: "two", cursor: "two 3", at: device.now)
    var ends: [EntityID] = []
    for number in 0..<1000 {
      let batch = try store.nextBatch(.all(.emergency))
      guard !batch.isEmpty else { break }
      ends += batch.mutations.filter { $0.kind == .deactivateAlert }.map(\.entityID)
      _ = try store.apply(.accepting(batch, epoch: "two", cursor: "two s\(number)"), to: batch, at: device.now)
    }
    #expect(ends.count == 300)
    #expect(Set(ends).count == 300 && ends.contains(EntityID(id)))
  }

  @Test func `is not discarded unasked by a sign-out before its end`() throws {
    try device.fill(alerts: 300)
    let store = try device.open()
    try store.meetEpoch("two", device)
    try store.exchange(.emergency, epoch: "two", cursor: "d2", at: device.now)
    #expect(try store.isResubmitting())
    let error = #expect(throws: LocalStoreError.self) { try store.signOut(discardPending: false) }
    #expect(error?.code == .queueNotEmpty)
    try store.signOut(discardPending: true)
    #expect(try !store.isResubmitting())
  }
}

private struct PlanOfStatement: Sendable {
  let sql: String
  let lines: [String]

  /// Tables of few rows, and indexes that hold parked rows alone, may be gone through.
  var scans: [String] {
    lines.filter { line in
      line.hasPrefix("SCAN ")
        && !["sync_state", "CONSTANT", "(subquery", "parked", "schema_migrations"].contains { line.contains($0) }
    }
  }
}

/// The work of write transactions.
private final class WorkLog: Sendable {
  private let log = Lock(0)

  func note(_ work: Int) { log.withLock { $0 = max($0, work) } }

  /// Of the one that did the most.
  var most: Int { log.withLock { $0 } }
}

extension Device {
  /// Signs in, and makes a history of alerts that have ended, each of which the server has named and told of.
  fileprivate func fill(alerts: Int) throws {
    let store = try open()
    try store.signIn(.of(1), at: now)
    try store.exchange(.routine, at: now)
    store.close()
    try withConnection { connection in
      try connection.write {
        for number in 1...alerts {
          let id = AlertID(versionSevenAt: Timestamp(milliseconds: Int64(number)), random: (7, UInt64(number)))
          try connection.statement(
            """
            INSERT INTO alerts (list_order, id, account_id, started_at, ended_at, message, drill, utc_offset_minutes,
              accepted_at, end_accepted_at, server_epoch)
            VALUES (?1, ?2, (SELECT value FROM sync_state WHERE key = 'account_id'), ?1, ?1 + 1, 'help', 0, 60, ?1, ?1, 'one')
            """
          ).run(.integer(Int64(number)), SQLiteValue(id))
          for (notice, kind) in [(1, "activated"), (2, "deactivated")] {
            let receipt = ReceiptID(
              versionSevenAt: Timestamp(milliseconds: Int64(number)), random: (UInt64(notice), UInt64(number)))
            try connection.statement(
              """
              INSERT INTO receipts (id, alert_id, contact_id, contact_name, notice, channel, state, at)
              VALUES (?, ?, ?, 'Ana', ?, 'ntfy', 'sent', 1)
              """
            ).run(
              SQLiteValue(receipt), SQLiteValue(id),
              SQLiteValue(ContactID(versionSevenAt: Timestamp(milliseconds: 1), random: (3, 7))), .text(kind))
          }
        }
      }
    }
  }
}

extension LocalStore {
  /// The server is restored: the answer that shows it, and a pull from the start that names nothing.
  fileprivate func meetEpoch(_ epoch: String, _ device: Device) throws {
    let applied = try exchange(.routine, epoch: epoch, cursor: "\(epoch) 1", at: device.now)
    #expect(applied.needsPullFromStart)
    try exchange(.routine, epoch: epoch, cursor: "\(epoch) 2", at: device.now)
  }

  /// Sends until nothing is queued: the alerts that were activated, in order, and the longest queue on the way.
  fileprivate func sendAll(_ device: Device, epoch: String) throws -> (offered: [EntityID], most: Int) {
    var offered: [EntityID] = []
    var most = 0
    for number in 0..<10_000 {
      most = max(most, try pendingCount())
      let batch = try nextBatch(.all(.emergency))
      guard !batch.isEmpty else { break }
      offered += batch.mutations.filter { $0.kind == .activateAlert }.map(\.entityID)
      _ = try apply(.accepting(batch, epoch: epoch, cursor: "\(epoch) s\(number)"), to: batch, at: device.now)
    }
    return (offered, most)
  }

  fileprivate func isResubmitting() throws -> Bool { try file.read { try $0.value(of: .resubmission) != nil } }
}
