import LocalStore
import Model
import SQLiteKit
import Testing
import Wire

@Suite struct `Raising an alert` {
  let device: Device
  let store: LocalStore

  init() throws {
    device = Device()
    store = try device.open()
  }

  @Test func `stores the alert, its mutation and its notification request`() throws {
    let moment = device.now
    let draft = AlertDraft(
      message: "help", location: try Location(latitude: 52.52, longitude: 13.405), utcOffsetMinutes: 120)
    let activation = try store.activateAlert(draft, at: moment)
    #expect(!activation.alreadyActive && !activation.isSpooled)
    let again = try device.open()
    let status = try again.status()
    #expect(status.alert == activation.alert)
    #expect(status.alert?.startedAt == moment.wall)
    #expect(status.alert?.location == draft.location)
    #expect(status.stage == .saved)
    #expect(status.sync.pending == 2)
    let queue = try again.queue()
    #expect(queue.map(\.kind) == ["alert.activate", "notification.activated"])
    #expect(queue.allSatisfy { $0.lane == .emergency && $0.entityID == EntityID(activation.alert.id) })
    #expect(
      queue.first?.body
        == MutationBody.text(
          of: .activateAlert(
            AlertActivation(
              startedAt: moment.wall, message: "help", location: draft.location, isDrill: false,
              utcOffsetMinutes: 120))))
  }

  @Test func `twice returns the first one, and queues the second message`() throws {
    let first = try store.activateAlert(AlertDraft(message: "one"), at: device.now)
    let second = try store.activateAlert(AlertDraft(message: "two"), at: device.now)
    #expect(second.alreadyActive)
    #expect(second.alert == first.alert)
    #expect(try store.queue().map(\.kind) == ["alert.activate", "notification.activated", "alert.update"])
    #expect(try store.status().newestUpdate?.message == "two")
  }

  @Test func `again resends the active alert's items that the server refused`() throws {
    let first = try store.activateAlert(AlertDraft(), at: device.now)
    let batch = try store.nextBatch(.all(.emergency))
    var refusal = SyncResponse.refusing(batch)
    refusal.results += batch.notifications.map {
      ItemResult(id: $0.id.description, status: .rejected, code: "unknown_alert")
    }
    _ = try store.apply(refusal, to: batch, at: device.now)
    #expect(try store.syncState().emergency.count == 0)
    let again = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(again.alreadyActive)
    #expect(again.alert == first.alert)
    let state = try store.syncState()
    #expect(state.parked == 0 && state.emergency.count == 3 && state.emergency.nextAttemptAt == nil)
    var offered = try store.nextBatch(.all(.emergency))
    #expect(offered.mutations.map(\.kind) == [.activateAlert, .updateAlert])
    #expect(offered.mutations.allSatisfy { $0.entityID == EntityID(first.alert.id) })
    offered.mutations.removeLast()
    #expect(offered.mutations.map(\.id) != batch.mutations.map(\.id))
    #expect(offered.notifications.map(\.id) != batch.notifications.map(\.id))
    #expect(offered.mutations.map(\.body) == batch.mutations.map(\.body))
    #expect(try store.status().alert == first.alert)
  }

  @Test func `again leaves the queued items unchanged`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let before = try store.queue()
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(try Array(store.queue().prefix(2)) == before)
  }

  @Test func `is not blocked by a drill, but blocks a drill`() throws {
    let drill = try store.activateAlert(AlertDraft(isDrill: true), at: device.now)
    #expect(try store.activateAlert(AlertDraft(isDrill: true), at: device.now).alert == drill.alert)
    let real = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(!real.alreadyActive)
    #expect(try store.status().alert == real.alert)
    let another = try store.activateAlert(AlertDraft(isDrill: true), at: device.now)
    #expect(another.alreadyActive)
    #expect(another.alert == real.alert)
  }

  @Test func `is followed by one end for each active alert`() throws {
    _ = try store.activateAlert(AlertDraft(isDrill: true), at: device.now)
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let moment = device.now
    let ended = try store.deactivateAlerts(at: moment)
    #expect(ended.map(\.endedAt) == [moment.wall, moment.wall])
    #expect(try store.deactivateAlerts(at: device.now) == [])
    #expect(try store.status().alert?.endedAt == moment.wall)
    #expect(
      try store.queue().map(\.kind) == [
        "alert.activate", "notification.activated", "alert.activate", "notification.activated", "alert.deactivate",
        "notification.deactivated", "alert.deactivate", "notification.deactivated",
      ])
    #expect(try !store.activateAlert(AlertDraft(), at: device.now).alreadyActive)
  }

  @Test func `leaves no rows if one insert fails`() throws {
    try device.withConnection {
      try $0.execute(
        "CREATE TRIGGER no BEFORE INSERT ON pending_notifications BEGIN SELECT raise(ABORT, 'no'); END")
    }
    let activation = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(activation.isSpooled)
    #expect(try store.pendingCount() == 0)
    #expect(try device.withConnection { try !$0.statement("SELECT 1 FROM alerts").hasRow() })
  }

  @Test func `shows a spooled alert as active and saved until the store has imported it`() throws {
    try device.withConnection {
      try $0.execute("CREATE TRIGGER no BEFORE INSERT ON alerts BEGIN SELECT raise(ABORT, 'no'); END")
    }
    let drill = try store.activateAlert(AlertDraft(isDrill: true), at: device.now)
    #expect(drill.isSpooled)
    let real = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(try store.status().alert == real.alert)
    #expect(try store.status().stage == .saved)
    try device.withConnection { try $0.execute("DROP TRIGGER no") }
    _ = try store.deactivateAlerts(at: device.now)
    #expect(try store.status().alert?.isActive == false)
  }

  @Test func `keeps the order even if the clock is set back`() throws {
    let first = try store.activateAlert(AlertDraft(message: "first"), at: device.now).alert
    _ = try store.deactivateAlerts(at: device.now)
    device.setClock(byMilliseconds: -365 * 86_400_000)
    let second = try store.activateAlert(AlertDraft(message: "second"), at: device.now).alert
    #expect(try store.history(limit: 10, before: nil).entries.map(\.alert.id) == [second.id, first.id])
  }

  @Test func `touches the wake file`() throws {
    #expect(!device.names.contains("wake"))
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(device.names.contains("wake"))
  }
}
