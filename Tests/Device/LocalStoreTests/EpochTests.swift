import LocalStore
import Model
import Testing
import Wire

@Suite struct `A restored server` {
  let device: Device
  let store: LocalStore

  init() throws {
    device = Device()
    store = try device.open()
  }

  /// Runs the exchange that shows the new epoch, after which a pull from the start is due.
  private func meetNewEpoch(_ lane: Lane = .routine) throws {
    let batch = try store.nextBatch(.all(lane))
    let applied = try store.apply(
      .accepting(
        batch, changes: [.contact(ContactID(versionSevenAt: SyncResponse.serverTime, random: (9, 9)), nil)],
        epoch: "two", cursor: "d1"), to: batch, at: device.now)
    #expect(applied.needsPullFromStart)
    #expect(applied.pulled == 0)
    #expect(try store.syncState().cursor == nil)
  }

  @Test func `is offered an active alert again, under a new id, with its notification`() throws {
    let alert = try store.activateAlert(
      AlertDraft(message: "help", utcOffsetMinutes: 60), at: device.now
    ).alert
    let first = try store.nextBatch(.all(.emergency))
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    try meetNewEpoch()
    #expect(try store.pendingCount() == 0)
    try store.exchange(.routine, epoch: "two", cursor: "d2", hasMore: true, at: device.now)
    #expect(try store.pendingCount() == 0)
    try store.exchange(.routine, epoch: "two", cursor: "d3", at: device.now)
    let again = try store.nextBatch(.all(.emergency))
    #expect(again.mutations.map(\.kind) == [.activateAlert])
    #expect(again.mutations.first?.id != first.mutations.first?.id)
    #expect(again.mutations.first?.body == first.mutations.first?.body)
    #expect(again.notifications.map(\.notice) == [.activated])
    #expect(try store.status().stage == .saved)
    try store.exchange(.emergency, epoch: "two", cursor: "d4", at: device.now)
    try store.exchange(.routine, epoch: "two", cursor: "d5", at: device.now)
    #expect(try store.pendingCount() == 0)
    #expect(try store.status().stage == .accepted)
  }

  /// Whatever the server accepted before this device had pulled everything lies between the two cursors.
  @Test func `gets this device's cursor and the newest known cursor`() throws {
    func take(_ cursor: String, hasMore: Bool, newest: String?) throws -> Batch {
      let batch = try store.nextBatch(.all(.routine))
      let answer = SyncResponse.accepting(batch, cursor: cursor, hasMore: hasMore, newestCursor: newest)
      _ = try store.apply(answer, to: batch, at: device.now)
      return try store.nextBatch(.all(.routine))
    }
    #expect(try take("c1", hasMore: true, newest: "n1").newestCursor == "n1")
    #expect(try take("c2", hasMore: true, newest: "n2").newestCursor == "n2")
    let keyOnly = BatchSelection(lane: .emergency, maximumItems: 1, maximumBytes: 1000, isAlertKeyOnly: true)
    #expect(try store.nextBatch(keyOnly).newestCursor == nil)
    #expect(try take("c3", hasMore: false, newest: nil).newestCursor == nil)
    _ = try take("c4", hasMore: true, newest: "n4")
    try meetNewEpoch()
    #expect(try store.nextBatch(.all(.routine)).newestCursor == nil)
  }

  @Test func `is offered an alert again even in an epoch in which it named the alert`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    try store.exchange(.routine, at: device.now)
    #expect(try store.pendingCount() == 0)
    try meetNewEpoch()
    // Restored once more, from the same backup, before anything was pulled.
    try store.exchange(.routine, cursor: "e1", at: device.now)
    #expect(try store.queue().map(\.kind) == ["alert.activate", "notification.activated", "contact.put"])
  }

  /// The backup was made between two calls of another device, so this device knows of every call.
  @Test func `that names an older call does not reopen an alert that was ended here`() throws {
    func call(_ number: UInt64) throws -> NewestUpdate {
      let time = Timestamp(milliseconds: 1_790_000_000_000 + Int64(number))
      return NewestUpdate(
        id: MutationID(versionSevenAt: time, random: (number, number)),
        update: AlertUpdate(at: time, message: "call \(number)", location: nil))
    }
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    var record = AlertRecord.of(alert)
    record.newestUpdate = try call(2)
    try store.exchange(.emergency, changes: [.alert(record)], at: device.now)
    let end = try store.deactivateAlerts(at: device.now).first?.endedAt
    record = .of(alert, endedAt: end)
    record.newestUpdate = try call(2)
    try store.exchange(.emergency, changes: [.alert(record)], cursor: "c2", at: device.now)
    try meetNewEpoch()
    record = .of(alert)
    record.newestUpdate = try call(1)
    try store.exchange(.routine, changes: [.alert(record)], epoch: "two", cursor: "d2", at: device.now)
    #expect(try store.status().alert?.isActive == false)
    let again = try store.nextBatch(.all(.emergency))
    #expect(again.mutations.map(\.kind) == [.deactivateAlert])
    #expect(again.mutations.first?.body.contains(try call(1).id.description) == true, "the server accepts this end")
  }

  @Test func `or another that has forgotten what an ended alert said takes nothing from its history here`() throws {
    let place = try Location(latitude: 46.5, longitude: 7.25)
    let alert = try store.activateAlert(AlertDraft(message: "help", location: place), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    let end = alert.startedAt.advanced(byMilliseconds: 60_000)
    var record = AlertRecord.of(alert, endedAt: end)
    let id = MutationID(versionSevenAt: end, random: (5, 5))
    func told(_ location: Location?) -> NewestUpdate {
      NewestUpdate(id: id, update: AlertUpdate(at: end, message: "my leg", location: location))
    }
    record.newestUpdate = told(place)
    try store.exchange(.routine, changes: [.alert(record)], cursor: "c2", at: device.now)
    func expectAll() throws {
      let status = try store.status()
      #expect(status.alert?.isActive == false && status.alert?.message == "help" && status.alert?.location == place)
      #expect(status.newestUpdate?.message == "my leg" && status.newestUpdate?.location == place)
    }
    try expectAll()
    try meetNewEpoch()
    record.alert = Alert(id: alert.id, startedAt: alert.startedAt, endedAt: end)
    record.newestUpdate = told(nil)
    try store.exchange(.routine, changes: [.alert(record)], epoch: "two", cursor: "d2", at: device.now)
    try expectAll()
    record.newestUpdate = nil
    try store.exchange(.routine, changes: [.alert(record)], epoch: "two", cursor: "d3", at: device.now)
    try expectAll()
    #expect(try store.pendingCount() == 0)
  }

  /// A restored server has lost the end of an alert that it had accepted, and names an update that this device does not know. Gives the alert,
  /// and the update's id.
  private func meetLostEnd(_ update: (Timestamp) -> AlertUpdate) throws -> (alert: Alert, newest: MutationID) {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    let end = try store.deactivateAlerts(at: device.now).first?.endedAt
    try store.exchange(.emergency, changes: [.alert(.of(alert, endedAt: end))], cursor: "c2", at: device.now)
    try meetNewEpoch()
    let time = Timestamp(milliseconds: 1_790_000_050_000)
    let newest = MutationID(versionSevenAt: time, random: (5, 5))
    var record = AlertRecord.of(alert)
    record.newestUpdate = NewestUpdate(id: newest, update: update(time))
    try store.exchange(.routine, changes: [.alert(record)], epoch: "two", cursor: "d2", at: device.now)
    return (alert, newest)
  }

  /// The backup is older than the end, and somebody called for help after the restore: the old end must not end that.
  @Test func `that names a call unknown here reopens the alert, even if its end had been accepted`()
    throws
  {
    let (alert, _) = try meetLostEnd { AlertUpdate(at: $0, message: "help again", location: nil) }
    #expect(try store.status().alert?.isActive == true)
    #expect(try store.queue().isEmpty, "the end is not offered again")
    #expect(try store.deactivateAlerts(at: device.now).map(\.id) == [alert.id])
  }

  @Test func `that names a mere battery level unknown here is sent the end again, which has seen no more`() throws {
    let (_, newest) = try meetLostEnd { AlertUpdate(at: $0, message: nil, location: nil, batteryPercent: 28) }
    #expect(try store.status().alert?.isActive == false)
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.kind) == [.deactivateAlert])
    #expect(batch.mutations.first?.body.contains("\(newest)") == false)
  }

  @Test func `is offered an ended alert without telling responders again`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let end = try store.deactivateAlerts(at: device.now).first?.endedAt
    try store.exchange(.emergency, changes: [.alert(.of(alert, endedAt: end))], at: device.now)
    try meetNewEpoch()
    try store.exchange(.routine, epoch: "two", cursor: "d2", at: device.now)
    let again = try store.nextBatch(.all(.emergency))
    #expect(again.mutations.map(\.kind) == [.activateAlert, .deactivateAlert])
    #expect(again.notifications.isEmpty)
    #expect(again.mutations.last?.occurredAt == end)
  }

  @Test func `is not offered alerts that it names`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    let ben = try store.putContact(nil, .named("Ben"), at: device.now)
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    try store.exchange(.routine, at: device.now)
    try meetNewEpoch()
    let record = ContactRecord(details: ana.details, webhookSecret: "whsec_1")
    try store.exchange(
      .routine, changes: [.alert(.of(alert)), .contact(ana.id, record)], epoch: "two", cursor: "d2", at: device.now)
    #expect(try store.queue().map(\.entityID) == [EntityID(ben.id)])
    #expect(try store.queue().map(\.kind) == ["contact.put"])
    #expect(try store.contacts().map(\.contact.details.name) == ["Ana", "Ben"])
  }

  @Test func `is offered an end that it lost`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let end = try store.deactivateAlerts(at: device.now).first?.endedAt
    try store.exchange(.emergency, changes: [.alert(.of(alert, endedAt: end))], at: device.now)
    try meetNewEpoch()
    try store.exchange(.routine, changes: [.alert(.of(alert))], epoch: "two", cursor: "d2", at: device.now)
    #expect(try store.queue().map(\.kind) == ["alert.deactivate", "notification.deactivated"])
    #expect(try store.status().alert?.endedAt == end)
  }

  @Test func `gets the notification request of a lost end again, whatever it refused before`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try store.deactivateAlerts(at: device.now)
    let batch = try store.nextBatch(.all(.emergency))
    var response = SyncResponse.accepting(batch, changes: [.alert(.of(alert, endedAt: device.now.wall))])
    for index in response.results.indices where index >= batch.mutations.count {
      response.results[index].status = .rejected
      response.results[index].code = "unsupported"
    }
    #expect(try store.apply(response, to: batch, at: device.now).parked == 2)
    try meetNewEpoch()
    try store.exchange(.routine, changes: [.alert(.of(alert))], epoch: "two", cursor: "d2", at: device.now)
    #expect(try store.syncState().parked == 0)
    let again = try store.nextBatch(.all(.emergency))
    #expect(again.mutations.map(\.kind) == [.deactivateAlert])
    #expect(again.notifications.map(\.notice) == [.activated, .deactivated])
    #expect(Set(again.notifications.map(\.id)).isDisjoint(with: batch.notifications.map(\.id)))
  }

  @Test func `is sent a refused end again after another device has sent the alert`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    let batch = try store.nextBatch(.all(.emergency))
    var response = SyncResponse.accepting(batch, epoch: "two")
    for index in response.results.indices {
      response.results[index].status = .rejected
      response.results[index].code = "unknown_alert"
    }
    #expect(try store.apply(response, to: batch, at: device.now).needsPullFromStart)
    try store.exchange(.routine, changes: [.alert(.of(alert))], epoch: "two", cursor: "d2", at: device.now)
    #expect(try store.syncState().parked == 0)
    let again = try store.nextBatch(.all(.emergency))
    #expect(again.mutations.map(\.kind) == [.deactivateAlert])
    #expect(again.notifications.map(\.notice) == [.deactivated])
  }

  @Test(arguments: [nil, .queued, .sent, .failed] as [DeliveryState?])
  func `gets a notification request for an end that a responder may have missed`(safe: DeliveryState?) throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let end = try store.deactivateAlerts(at: device.now).first?.endedAt
    var changes: [Change] = [.alert(.of(alert, endedAt: end)), .receipt(.of(alert, .activated, .seen))]
    if let safe { changes.append(.receipt(.of(alert, .deactivated, safe))) }
    try store.exchange(.emergency, changes: changes, at: device.now)
    try meetNewEpoch()
    try store.exchange(.routine, epoch: "two", cursor: "d2", at: device.now)
    let again = try store.nextBatch(.all(.emergency))
    #expect(again.mutations.map(\.kind) == [.activateAlert, .deactivateAlert])
    let isHeardOf = safe == .sent || safe == .failed
    #expect(again.notifications.map(\.notice) == (isHeardOf ? [] : [.deactivated]))
  }

  @Test func `gets the alert again before an end that it refused because the alert was unknown`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    let batch = try store.nextBatch(.all(.emergency))
    var response = SyncResponse.refusing(batch, code: "unknown_alert")
    response.epoch = "two"
    #expect(try store.apply(response, to: batch, at: device.now).needsPullFromStart)
    try store.exchange(.routine, epoch: "two", cursor: "d2", at: device.now)
    let again = try store.nextBatch(.all(.emergency))
    #expect(again.mutations.map(\.kind) == [.activateAlert, .deactivateAlert])
    #expect(again.notifications.map(\.notice) == [.deactivated])
    #expect(try store.syncState().parked == 0)
  }

  @Test func `is sent a removal again`() throws {
    let contact = try store.putContact(nil, .named("Ana"), at: device.now)
    let record = ContactRecord(details: contact.details, webhookSecret: "whsec_1")
    try store.exchange(.routine, changes: [.contact(contact.id, record)], at: device.now)
    _ = try store.removeContact(contact.id, at: device.now)
    try store.exchange(.routine, changes: [.contact(contact.id, nil)], at: device.now)
    try meetNewEpoch()
    try store.exchange(.routine, changes: [.contact(contact.id, record)], epoch: "two", cursor: "d2", at: device.now)
    #expect(try store.contacts().isEmpty)
    #expect(try store.queue().map(\.kind) == ["contact.remove"])
  }

  @Test func `may give one ordinal twice in an answer`() throws {
    let first = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try store.deactivateAlerts(at: device.now)
    let second = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(
      .emergency, changes: [.alert(.of(first, ordinal: 7)), .alert(.of(second, ordinal: 7))], at: device.now)
    #expect(try Set(store.history(limit: 10, before: nil).entries.map(\.alert.id)) == [first.id, second.id])
  }

  @Test func `may reuse an ordinal`() throws {
    let first = try store.activateAlert(AlertDraft(message: "first"), at: device.now).alert
    _ = try store.deactivateAlerts(at: device.now)
    try store.exchange(.emergency, changes: [.alert(.of(first, ordinal: 1))], at: device.now)
    let second = try store.activateAlert(AlertDraft(message: "second"), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(second, ordinal: 2))], at: device.now)
    try meetNewEpoch()
    try store.exchange(
      .routine, changes: [.alert(.of(second, ordinal: 1))], epoch: "two", cursor: "d2", at: device.now)
    let entries = try store.history(limit: 10, before: nil).entries
    #expect(entries.map(\.alert.id) == [second.id, first.id], "the active one is first")
    #expect(entries.map(\.stage) == [.accepted, .saved])
  }
}

extension Receipt {
  fileprivate static func of(_ alert: Alert, _ notice: Notice, _ state: DeliveryState) -> Receipt {
    Receipt(
      id: ReceiptID(versionSevenAt: SyncResponse.serverTime, random: (notice == .activated ? 1 : 2, 7)),
      alertID: alert.id, contactID: ContactID(versionSevenAt: SyncResponse.serverTime, random: (3, 7)),
      contactName: "Ana", notice: notice, channel: .ntfy, state: state, at: SyncResponse.serverTime, reason: nil)
  }
}
