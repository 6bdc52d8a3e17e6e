import LocalStore
import Model
import Testing
import Wire

@Suite struct `The queue` {
  let device: Device
  let store: LocalStore

  init() throws {
    device = Device()
    store = try device.open()
  }

  @Test func `keeps what the server did not answer`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let batch = try store.nextBatch(.all(.emergency))
    var response = SyncResponse.accepting(batch)
    response.results = []
    let applied = try store.apply(response, to: batch, at: device.now)
    #expect(applied.pushed == 0)
    #expect(try store.nextBatch(.all(.emergency)).mutations == batch.mutations)
    #expect(try store.status().stage == .saved)
  }

  @Test func `counts a duplicate as applied`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let batch = try store.nextBatch(.all(.emergency))
    var response = SyncResponse.accepting(batch)
    response.results = response.results.map {
      ItemResult(id: $0.id, status: .duplicate, appliedAt: SyncResponse.serverTime)
    }
    #expect(try store.apply(response, to: batch, at: device.now).pushed == 2)
    #expect(try store.pendingCount() == 0)
    #expect(try store.status().acceptedAt == SyncResponse.serverTime)
  }

  @Test func `ignores results for items that were not sent`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let batch = try store.nextBatch(.all(.emergency))
    let later = try store.putContact(nil, .named("Ana"), at: device.now)
    var response = SyncResponse.accepting(batch)
    response.results.append(ItemResult(id: try store.queue()[2].id, status: .applied))
    _ = try store.apply(response, to: batch, at: device.now)
    #expect(try store.queue().map(\.entityID) == [EntityID(later.id)])
  }

  @Test func `gives what is queued of one alert or contact, as it stands in the whole`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    _ = try store.putContact(nil, .named("Ben"), at: device.now)
    _ = try store.putContact(ana.id, .named("Anna"), at: device.now)
    for (id, kinds) in [
      (EntityID(alert.id), ["alert.activate", "notification.activated"]),
      (EntityID(ana.id), ["contact.put", "contact.put"]), (EntityID(ContactID(words: (1, 1))), []),
    ] {
      let items = try store.queue(of: id)
      #expect(items.map(\.kind) == kinds)
      #expect(try items == store.queue().filter { $0.entityID == id })
    }
  }

  @Test func `who looks at each change counts no further than a thousand`() throws {
    for index in 0..<1010 { _ = try store.putContact(nil, .named("\(index)"), at: device.now) }
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(try store.status().sync.pending == 1012)
    #expect(try store.status(.bounded).sync.pending == 1002)
    var bounded = try store.status(.bounded)
    bounded.sync.pending = 1012
    #expect(try bounded == store.status())
  }

  @Test func `parks a refused item, and blocks only its entity`() throws {
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    _ = try store.putContact(ana.id, .named("Anna"), at: device.now)
    let ben = try store.putContact(nil, .named("Ben"), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    #expect(batch.mutations.count == 3)
    let applied = try store.apply(.refusing(batch), to: batch, at: device.now)
    #expect(applied.parked == 1)
    #expect(try store.queue().map { $0.parked?.code } == ["invalid_body", nil, nil])
    #expect(try store.nextBatch(.all(.routine)).mutations.map(\.entityID) == [EntityID(ben.id)])
    let state = try store.syncState()
    #expect(state.routine.count == 1)
    #expect(state.parked == 1)
    #expect(try store.status().sync.parked == 1)
    #expect(try store.status().sync.pending == 2)
  }

  @Test func `a parked activation blocks its notification and its end`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    let batch = try store.nextBatch(.all(.emergency))
    _ = try store.apply(.refusing(batch), to: batch, at: device.now)
    #expect(try store.nextBatch(.all(.emergency)).isEmpty)
    #expect(try store.syncState().emergency.count == 0)
    #expect(try store.pendingCount() == 4)
  }

  @Test func `retries a parked item under a new id, in its old place`() throws {
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    _ = try store.putContact(ana.id, .named("Anna"), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    _ = try store.apply(.refusing(batch), to: batch, at: device.now)
    let parked = try #require(try store.queue().first)
    let item = try store.retry(parked.id, at: device.now)
    #expect(item.id != parked.id)
    #expect(item.parked == nil)
    #expect(item.body == parked.body)
    let again = try store.nextBatch(.all(.routine))
    #expect(again.mutations.map(\.id.description) == [item.id, batch.mutations[1].id.description])
  }

  @Test func `keeps the id of an item that is not parked, since the server may have it`() throws {
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let item = try #require(try store.queue().first)
    #expect(try store.retry(item.id, at: device.now).id == item.id)
  }

  @Test func `reports items that it does not have`() throws {
    let error = #expect(throws: LocalStoreError.self) { try store.retry("nothing", at: device.now) }
    #expect(error?.code == .notFound)
    #expect(throws: LocalStoreError.self) { try store.discard("nothing", at: device.now) }
  }

  @Test func `discards an activation with all items behind it, and marks the alert`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try store.deactivateAlerts(at: device.now)
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let activation = try #require(try store.queue().first)
    let dropped = try store.discard(activation.id, at: device.now)
    #expect(
      dropped.map(\.kind) == [
        "alert.activate", "notification.activated", "alert.deactivate", "notification.deactivated",
      ])
    #expect(try store.queue().map(\.kind) == ["contact.put"])
    let entry = try #require(try store.history(limit: 5, before: nil).entries.first)
    #expect(entry.alert.id == alert.id)
    #expect(entry.isDiscarded)
    #expect(try store.status().alert == nil)
  }

  @Test func `a discarded activation does not count as active`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try store.discard(try #require(try store.queue().first).id, at: device.now)
    #expect(try !store.syncState().hasActiveAlert)
    let next = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(!next.alreadyActive)
    #expect(next.alert.id != alert.id)
  }

  @Test func `an end stays when its mutation is discarded, and can still be sent`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    try store.exchange(.emergency, at: device.now)
    let ended = try store.deactivateAlerts(at: device.now)
    _ = try store.discard(try #require(try store.queue().first).id, at: device.now)
    #expect(try store.status().alert == ended.first)
    #expect(try store.pendingCount() == 0)
    #expect(try store.deactivateAlerts(at: device.now) == [])
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.kind) == [.deactivateAlert])
    #expect(batch.mutations.first?.occurredAt == ended.first?.endedAt)
  }

  @Test func `a discarded alert that the server has can still be ended there`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try store.nextBatch(.all(.emergency))  // it arrives, and the answer is lost
    _ = try store.deactivateAlerts(at: device.now)
    _ = try store.discard(try #require(try store.queue().first).id, at: device.now)
    try store.exchange(.routine, changes: [.alert(.of(alert))], at: device.now)
    #expect(try store.deactivateAlerts(at: device.now) == [])
    #expect(try store.nextBatch(.all(.emergency)).mutations.map(\.kind) == [.deactivateAlert])
  }

  @Test func `discards a notification request alone`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let notification = try #require(try store.queue().last)
    #expect(try store.discard(notification.id, at: device.now).map(\.kind) == ["notification.activated"])
    #expect(try store.queue().map(\.kind) == ["alert.activate"])
    #expect(try store.syncState().hasActiveAlert)
  }

  @Test func `never assigns a sequence number twice`() throws {
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let first = try store.syncState().emergency.newestSequence
    try store.exchange(.emergency, at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    #expect(try store.syncState().emergency.newestSequence > first)
  }
}
