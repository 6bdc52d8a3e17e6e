import LocalStore
import Model
import PlantedBugs
import SQLiteKit
import Testing
import Wire

// Each hook has the effect of its bug, if the store alone shows it. The simulator shows the others.
@Suite struct PlantedBugTests {
  @Test func `Without a planted bug the log is synced with every commit`() throws {
    let device = Device()
    _ = try device.open()
    #expect(try synchronous(device) == 2)
    #expect(try PlantedBug.plant(.walWithNormal) { try synchronous(device) } == 1)
  }

  @Test func `A retry gets a new id`() throws {
    let (device, store) = try ready()
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let before = try store.queue().map(\.id)
    try PlantedBug.plant(.newIDOnRetry) { try fail(store, device) }
    let after = try store.queue().map(\.id)
    #expect(after.count == before.count)
    #expect(after.first != before.first)
  }

  @Test func `The fifth failure removes an item from the queue`() throws {
    let (device, store) = try ready()
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    try PlantedBug.plant(.attemptsRunOut) { for _ in 1...4 { try fail(store, device) } }
    #expect(try store.pendingCount() == 2)
    try PlantedBug.plant(.attemptsRunOut) { try fail(store, device) }
    #expect(try store.pendingCount() == 0)
  }

  @Test func `The newest item goes first`() throws {
    let (device, store) = try ready()
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    #expect(try batch(store).mutations.map(\.kind) == [.activateAlert, .deactivateAlert])
    let planted = try PlantedBug.plant(.fifoBroken) { try batch(store) }
    #expect(planted.mutations.map(\.kind) == [.deactivateAlert, .activateAlert])
  }

  @Test func `A queue sorted by its ids follows the clock`() throws {
    let (device, store) = try ready()
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    device.setClock(byMilliseconds: -3_600_000)
    _ = try store.deactivateAlerts(at: device.now)
    #expect(try batch(store).mutations.map(\.kind) == [.activateAlert, .deactivateAlert])
    let planted = try PlantedBug.plant(.queueSortedByClock) { try batch(store) }
    #expect(planted.mutations.map(\.kind) == [.deactivateAlert, .activateAlert])
  }

  @Test func `An alert and its mutation in two transactions are both stored without a crash`() throws {
    let (device, store) = try ready()
    try PlantedBug.plant(.mutationApart) {
      _ = try store.activateAlert(AlertDraft(), at: device.now)
      _ = try store.deactivateAlerts(at: device.now)
    }
    #expect(try store.queue().map(\.kind).filter { $0.hasPrefix("alert") } == ["alert.activate", "alert.deactivate"])
  }

  @Test func `Signing out deletes what nobody agreed to lose`() throws {
    let (device, store) = try ready()
    _ = try store.putContact(nil, try .named("Ana"), at: device.now)
    let agreement = SignOutAgreement(queuedIDs: [], activeAlerts: [])
    #expect(throws: LocalStoreError.self) { try store.beginSignOut(agreement, at: device.now) }
    try PlantedBug.plant(.signOutDeletesQueue) {
      let session = try store.beginSignOut(agreement, at: device.now)
      try store.finishSignOut(of: session, agreement)
    }
    #expect(try store.pendingCount() == 0)
  }

  @Test(arguments: [PlantedBug.refusedIsDeleted, .poisonBlocksQueue])
  func `What the server refuses is not parked`(_ bug: PlantedBug) throws {
    let (device, store) = try ready()
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let refused = try store.nextBatch(.all(.routine))
    let applied = try PlantedBug.plant(bug) { try store.apply(.refusing(refused), to: refused, at: device.now) }
    #expect(applied.parked == 0)
    #expect(try store.pendingCount() == (bug == .refusedIsDeleted ? 0 : 1))
  }

  @Test func `Results matched by position mark the wrong item as done`() throws {
    let (device, store) = try ready()
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    _ = try store.putContact(nil, .named("Bo"), at: device.now)
    let sent = try store.nextBatch(.all(.routine))
    var answer = SyncResponse.accepting(sent)
    answer.results.removeFirst()
    _ = try PlantedBug.plant(.resultsByPlace) { try store.apply(answer, to: sent, at: device.now) }
    #expect(try store.queue().map(\.id) == [sent.mutations[1].id.description])
  }

  @Test func `The cursor moves before the changes, and once`() throws {
    let (device, store) = try ready()
    try store.exchange(.routine, at: device.now)
    let sent = try store.nextBatch(.all(.routine))
    let answer = SyncResponse.accepting(sent, cursor: "c2")
    let applied = try PlantedBug.plant(.cursorBeforeChanges) { try store.apply(answer, to: sent, at: device.now) }
    #expect(!applied.needsPullFromStart)
    #expect(try store.syncState().cursor == "c2")
  }

  @Test func `The server's state undoes a queued end`() throws {
    let (device, store) = try ready()
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    try PlantedBug.plant(.endForgotten) {
      _ = try store.exchange(.routine, changes: [.alert(.of(alert))], cursor: "c2", at: device.now)
    }
    #expect(try store.status().alert?.isActive == true)
  }

  @Test func `Another account's rows go to the account that signs in`() throws {
    let (device, store) = try ready()
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let other = Session.of(2, phone: "+12025550100")
    #expect(throws: LocalStoreError.self) { try store.signIn(other, at: device.now) }
    try PlantedBug.plant(.accountsMixed) { try store.signIn(other, at: device.now) }
    #expect(try store.nextBatch(.all(.emergency)).mutations.count == 1)
  }

  // MARK: Helpers

  private func ready() throws -> (Device, LocalStore) {
    let device = Device()
    let store = try device.open()
    try store.signIn(.of(1), at: device.now)
    return (device, store)
  }

  private func synchronous(_ device: Device) throws -> Int64? {
    try device.withConnection { try $0.statement("PRAGMA synchronous").value() }
  }

  private func batch(_ store: LocalStore) throws -> Batch { try store.nextBatch(.all(.emergency)) }

  private func fail(_ store: LocalStore, _ device: Device) throws {
    let now = device.now
    try store.recordFailure(
      of: try batch(store), nextAttemptAt: now.wall, error: SyncFailure(.timeout, "no answer"), at: now)
  }
}
