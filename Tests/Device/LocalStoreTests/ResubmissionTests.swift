import Model
import PlantedBugs
import SQLiteKit
import SystemKit
import TestSupport
import Testing
import Wire

@testable import LocalStore

/// How a device resubmits a long history to a server that was restored from a backup.
@Suite struct `A long history` {
  /// The limit of one transaction, in SQLite instructions: a few milliseconds. A new alert waits for no more than that.
  static let mostWork = 150_000

  let device = Device()

  @Test(.enabled(if: !ThreadSanitizer.isOn, "it runs in one thread, and takes the sanitizer four minutes"))
  func `is offered to a restored server in short transactions`() throws {
    try device.fill(alerts: 5000)
    let work = WorkLog()
    let store = try device.open { $0.noteWork = { work.note($0) } }
    try store.meetEpoch("two", device)
    let (offered, most) = try store.sendAll(device, epoch: "two")
    #expect(offered.count == 5000)
    #expect(Set(offered).count == 5000, "each alert is offered once")
    #expect(most <= 200, "an alert raised meanwhile waits for few others")
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
    // These two run without the lock: the queue's length, and the requests in order, up to the number that is sent.
    let others = ["count(*) AS mutations", "WHERE m.sequence = n.sequence"]
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

  /// The server may defer it: neither an old alert that waits for room nor its bytes may delay a call for help.
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
    #expect(try Set(store.sendAll(device, epoch: "two").0).count == 300, "then all of it is offered")
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

  /// If an end were offered again, responders would be told again.
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

  @Test func `is offered again to a server that is restored once more during the resubmission`() throws {
    try device.fill(alerts: 300)
    let store = try device.open()
    try store.meetEpoch("two", device)
    try store.exchange(.emergency, epoch: "two", cursor: "d2", at: device.now)
    try store.meetEpoch("three", device)
    let (offered, _) = try store.sendAll(device, epoch: "three")
    #expect(Set(offered).count == 300)
  }

  /// That alert gets a new place in the history, which the resubmission has already passed.
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

  @Test func `is not discarded without agreement by a sign-out during the resubmission`() throws {
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

  /// The scans, except those of small tables and of indexes that hold only parked rows.
  var scans: [String] {
    lines.filter { line in
      line.hasPrefix("SCAN ")
        && !["sync_state", "CONSTANT", "(subquery", "parked", "schema_migrations"].contains { line.contains($0) }
    }
  }
}

/// Records the most work that one write transaction did.
private final class WorkLog: Sendable {
  private let log = Lock(0)

  func note(_ work: Int) { log.withLock { $0 = max($0, work) } }

  var most: Int { log.withLock { $0 } }
}

extension Device {
  /// Signs in, and makes a history of ended alerts that the server has named and sent to responders.
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
  /// Restores the server: applies the answer that shows it, and a pull from the start that names nothing.
  fileprivate func meetEpoch(_ epoch: String, _ device: Device) throws {
    let applied = try exchange(.routine, epoch: epoch, cursor: "\(epoch) 1", at: device.now)
    #expect(applied.needsPullFromStart)
    try exchange(.routine, epoch: epoch, cursor: "\(epoch) 2", at: device.now)
  }

  /// Sends until nothing is queued. Returns the activated alerts in order, and the maximum length of the queue.
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
