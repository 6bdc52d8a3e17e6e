import LocalStore
import Model
import SQLiteKit
import Testing
import Wire

@Suite struct `A row that cannot be read` {
  static let garbage: SQLiteValue = .text(String(repeating: "?", count: 36))
  let device: Device
  let store: LocalStore

  init() throws {
    device = Device()
    store = try device.open()
  }

  private func change(_ statement: StaticString, _ values: [SQLiteValue] = [garbage]) throws {
    try device.withConnection { connection in
      try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
      try connection.statement(statement).run(all: values)
      #expect(connection.changedRows > 0)
    }
  }

  @Test func `of a contact is parked, and blocks no alert and no other contact`() throws {
    let lost = try store.putContact(nil, .named("Ana"), at: device.now)
    let other = try store.putContact(nil, .named("Ben"), at: device.now)
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try change(
      "UPDATE pending_mutations SET entity_id = ? WHERE entity_id = ?", [Self.garbage, .text(lost.id.description)])
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.entityID) == [EntityID(alert.id)])
    #expect(batch.notifications.count == 1)
    #expect(try store.nextBatch(.all(.routine)).mutations.map(\.entityID) == [EntityID(other.id)])
    let parked = try #require(try store.queue().first { $0.parked != nil })
    #expect(parked.parked?.code == "unreadable")
    #expect(try store.syncState().parked == 1)
    #expect(try store.discard(parked.id, at: device.now).map(\.id) == [parked.id])
    #expect(try store.syncState().parked == 0)
    #expect(store.report.setAsidePath == nil)
  }

  @Test func `of an alert is sent under a new id if only its id is lost`() throws {
    let alert = try store.activateAlert(AlertDraft(message: "help"), at: device.now).alert
    try change("UPDATE pending_mutations SET id = ?")
    try change("UPDATE pending_notifications SET id = ?")
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.entityID) == [EntityID(alert.id)])
    #expect(batch.notifications.map(\.alertID) == [alert.id])
    try store.apply(.accepting(batch), to: batch, at: device.now).expect(pushed: 2)
    #expect(try store.status().stage == .accepted)
  }

  @Test func `of an alert is parked if its alert is unknown, and the alert is offered again`() throws {
    let alert = try store.activateAlert(AlertDraft(message: "help"), at: device.now).alert
    try change("UPDATE pending_mutations SET entity_id = ?")
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.entityID) == [EntityID(alert.id)])
    #expect(batch.notifications.map(\.alertID).contains(alert.id))
    #expect(try store.queue().filter { $0.parked?.code == "unreadable" }.map(\.kind) == ["alert.activate"])
  }

  /// The track is of no use to somebody whose call for help is held back by it.
  @Test func `of a place is dropped, and holds back neither a later call nor the end`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, at: device.now)
    for latitude in [1.0, 2] {
      let place = AlertNews(location: try Location(latitude: latitude, longitude: 13))
      #expect(try store.updateAlert(place, at: device.now) != nil)
    }
    _ = try store.activateAlert(AlertDraft(message: "worse"), at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    try change(
      "UPDATE pending_mutations SET body = substr(body, 1, length(body) - 1) WHERE sequence = ?", [.integer(2)])
    try change("UPDATE pending_mutations SET kind = ? WHERE sequence = ?", [Self.garbage, .integer(3)])
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.kind) == [.updateAlert, .deactivateAlert])
    #expect(batch.mutations.allSatisfy { $0.entityID == EntityID(alert.id) })
    #expect(try store.syncState().parked == 0 && store.queue().count == 3)
  }

  /// Parked, it would hold back later calls and the end.
  @Test(arguments: ["kind", "body", "entity_id"])
  func `of a further call is restored, and holds back neither a later one nor the end`(column: String) throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, at: device.now)
    let call = try store.activateAlert(AlertDraft(message: "worse"), at: device.now)
    _ = try store.activateAlert(AlertDraft(message: "rope is stuck"), at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    let row = [Self.garbage, .integer(2)]
    switch column {
    case "kind": try change("UPDATE pending_mutations SET kind = ? WHERE sequence = ?", row)
    case "body": try change("UPDATE pending_mutations SET body = ? WHERE sequence = ?", row)
    default: try change("UPDATE pending_mutations SET entity_id = ? WHERE sequence = ?", row)
    }
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.kind) == [.updateAlert, .updateAlert, .deactivateAlert])
    #expect(batch.mutations.allSatisfy { $0.entityID == EntityID(alert.id) })
    #expect(batch.mutations[0].body.contains("worse") == (column != "body"))
    #expect(!batch.mutations[0].body.contains(MutationBody.noCall))
    #expect(try store.syncState().parked == 0)
    try store.apply(.accepting(batch), to: batch, at: device.now).expect(pushed: 4)
    #expect(try store.pressProgress(call.press)?.acceptedAt != nil)
  }

  @Test func `is skipped if it cannot be parked, with the items behind it`() throws {
    let lost = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try store.deactivateAlerts(at: device.now)
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    try change("UPDATE pending_mutations SET id = ? WHERE sequence = 1")
    try device.withConnection {
      try $0.execute("CREATE TRIGGER no BEFORE UPDATE ON pending_mutations BEGIN SELECT raise(ABORT, 'no'); END")
    }
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.entityID) == [EntityID(alert.id)])
    #expect(batch.notifications.map(\.alertID) == [alert.id])
    #expect(batch.notifications.allSatisfy { $0.alertID != lost.id })
  }

  @Test func `of the history sets the store aside, and the readable rows are in the new one`() throws {
    let old = try store.activateAlert(AlertDraft(message: "old"), at: device.now).alert
    try store.exchange(.emergency, at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    try store.exchange(.emergency, at: device.now)
    let alert = try store.activateAlert(AlertDraft(message: "now"), at: device.now).alert
    let contact = try store.putContact(nil, .named("Ana"), at: device.now)
    try change("UPDATE alerts SET id = ? WHERE id = ?", [Self.garbage, .text(old.id.description)])
    #expect(try store.history(limit: 9, before: nil).entries.map(\.alert.id) == [alert.id])
    let report = store.report
    #expect(report.setAsidePath != nil)
    #expect(report.salvaged?.unreadableRows == 1)
    #expect(try store.contacts().map(\.contact.id) == [contact.id])
    #expect(try store.nextBatch(.all(.emergency)).notifications.map(\.alertID) == [alert.id])
    #expect(device.names.filter { $0.hasPrefix("damaged-") }.count == 1)
  }

  @Test(arguments: ["phone", "name", "channels"])
  func `of a contact sets the store aside, and the others are in the new one`(column: String) throws {
    let lost = try store.putContact(nil, .named("Ana"), at: device.now)
    let other = try store.putContact(nil, .named("Ben"), at: device.now)
    let alert = try store.activateAlert(AlertDraft(message: "help"), at: device.now).alert
    let id = SQLiteValue.text(lost.id.description)
    switch column {
    case "phone": try change("UPDATE contacts SET phone = ? WHERE id = ?", [.text("+1\u{11}"), id])
    case "name": try change("UPDATE contacts SET name = ? WHERE id = ?", [.text("\n"), id])
    default: try change("UPDATE contacts SET channels = ? WHERE id = ?", [.text("htt"), id])
    }
    #expect(try store.contacts().map(\.contact.id) == [other.id])
    #expect(store.report.salvaged?.unreadableRows == 1)
    #expect(try store.status().alert == alert)
    // Its queued change is still sent, and the server sends the contact again.
    #expect(try store.nextBatch(.all(.routine)).mutations.contains { $0.entityID == EntityID(lost.id) })
  }

  @Test func `because of an alert's location gives the alert without a location`() throws {
    let place = try Location(latitude: 1, longitude: 2)
    let alert = try store.activateAlert(AlertDraft(message: "help", location: place), at: device.now).alert
    try change("UPDATE alerts SET latitude = ?", [.real(4000)])
    let found = try #require(try store.status().alert)
    #expect(found.id == alert.id && found.location == nil && found.message == "help")
    #expect(try store.activateAlert(AlertDraft(), at: device.now).alert.id == alert.id)
    #expect(store.report.setAsidePath == nil)
  }

  @Test func `of the active alert does not block raising and sending one`() throws {
    let alert = try store.activateAlert(AlertDraft(message: "help"), at: device.now).alert
    try change("UPDATE alerts SET id = ? WHERE id = ?", [Self.garbage, .text(alert.id.description)])
    let activation = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(activation.alreadyActive && !activation.isSpooled, "its queued row restores it")
    #expect(activation.alert == alert)
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.kind) == [.activateAlert, .updateAlert])
    #expect(batch.mutations.allSatisfy { $0.entityID == EntityID(alert.id) })
    #expect(batch.notifications.map(\.alertID) == [alert.id])
  }

  @Test func `because of an uppercase id is not mistaken for another row`() throws {
    let alert = try store.activateAlert(AlertDraft(message: "help"), at: device.now).alert
    try change("UPDATE alerts SET id = upper(id) WHERE id <> upper(id)", [])
    #expect(try store.status().alert == alert, "its queued row restores it")
    #expect(store.report.setAsidePath != nil)
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.entityID) == [EntityID(alert.id)])
    #expect(batch.notifications.map(\.alertID) == [alert.id])
  }

  @Test func `of the device's id gets a new value`() throws {
    try change("UPDATE sync_state SET value = ? WHERE key = 'device_id'")
    let device = try store.syncState().deviceID
    #expect(try store.nextBatch(.all(.emergency)).deviceID == device)
  }

  @Test func `of a contact's queued details leaves the contact unchanged when the server names it`() throws {
    let contact = try store.putContact(nil, .named("Ana"), at: device.now)
    try change("UPDATE pending_mutations SET body = ?")
    let record = ContactRecord(details: try .named("Annette"), webhookSecret: "whsec_AAAA")
    try store.exchange(.emergency, changes: [.contact(contact.id, record)], at: device.now)
    #expect(try store.contacts().map(\.contact.details.name) == ["Annette"])
    #expect(try store.queue().map { $0.parked?.code } == ["unreadable"])
  }
}
