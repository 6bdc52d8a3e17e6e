import LocalStore
import Model
import Testing
import Wire

/// News of an active alert: a message is a call for help, a place or a battery level alone is none.
@Suite struct `News of an active alert` {
  let device: Device
  let store: LocalStore
  let alert: Alert

  init() throws {
    device = Device()
    store = try device.open()
    try store.signIn(.of(1), at: device.now)
    alert = try store.activateAlert(AlertDraft(message: "one"), at: device.now).alert
    try store.exchange(.emergency, at: device.now)
  }

  private func place(_ latitude: Double, accuracy: Double? = nil, battery: Int? = nil) throws -> AlertNews {
    AlertNews(
      location: try Location(latitude: latitude, longitude: 13), accuracyMeters: accuracy, batteryPercent: battery)
  }

  @discardableResult
  private func tell(_ news: AlertNews) throws -> SavedNews {
    try #require(try store.updateAlert(news, at: device.now))
  }

  private func updates() throws -> [AlertUpdate] {
    try store.queue().filter { $0.kind == "alert.update" }.map { item in
      let root = try JSONDocument(Array(item.body.utf8)).root
      let change = try Mutation.Change.read(kind: .updateAlert, occurredAt: alert.startedAt, body: root).get()
      guard case .updateAlert(let update) = change else { throw JSONError(.wrongShape, "no update") }
      return update
    }
  }

  private func refuse(_ code: String, endedAt: Timestamp?) throws {
    let batch = try store.nextBatch(.all(.emergency))
    var response = SyncResponse.accepting(batch, cursor: "c2")
    response.results = batch.mutations.prefix(1).map {
      ItemResult(id: $0.id.description, status: .rejected, code: code, message: "no", endedAt: endedAt)
    }
    _ = try store.apply(response, to: batch, at: device.now)
  }

  @Test(arguments: [false, true])
  func `that are a place count as having seen all calls only where nothing is left to pull`(
    hasMore: Bool
  ) throws {
    try tell(place(1))
    let place = try #require(try store.nextBatch(.all(.emergency)).mutations.first).id
    try store.exchange(.emergency, hasMore: hasMore, at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    let end = try #require(try store.queue().first { $0.kind == "alert.deactivate" })
    #expect(end.body.contains(place.description) == !hasMore)
  }

  @Test func `are nobody's if no alert is active`() throws {
    _ = try store.deactivateAlerts(at: device.now)
    #expect(try store.updateAlert(AlertNews(message: "two"), at: device.now) == nil)
    #expect(try store.queue().allSatisfy { $0.kind != "alert.update" })
  }

  @Test func `are only of the alert that they are meant for`() throws {
    let other = try #require(AlertID("01975000-0000-7000-8000-000000000001"))
    #expect(try store.updateAlert(place(1), ofPress: other, at: device.now) == nil)
    #expect(try store.updateAlert(place(1), ofPress: alert.id, at: device.now) != nil)
  }

  @Test func `are of the alert that a press belongs to by then`() throws {
    let press = try store.activateAlert(AlertDraft(message: "two"), at: device.now).press
    #expect(try store.updateAlert(place(1), ofPress: press, at: device.now)?.alert.id == alert.id)
    try refuse(ItemResult.alertEnded, endedAt: alert.startedAt)
    #expect(try store.updateAlert(place(2), ofPress: press, at: device.now)?.alert.id == press)
  }

  @Test func `a place that was found after a call goes with it where the alert has ended elsewhere`() throws {
    try tell(try place(1, accuracy: 5))
    let call = try tell(AlertNews(message: "two"))
    try tell(try place(2, accuracy: 8))
    try tell(AlertNews(batteryPercent: 39))
    try refuse(ItemResult.alertEnded, endedAt: alert.startedAt)
    let own = EntityID(try #require(call.press))
    let queued = try store.queue().filter { $0.entityID == own }
    #expect(queued.map(\.kind) == ["alert.activate", "notification.activated", "alert.update"])
    let news = try #require(try updates().last)
    #expect(news.location?.latitude == 2 && news.accuracyMeters == 8 && news.batteryPercent == 39 && !news.isCall)
    try store.exchange(.emergency, at: device.now)
    #expect(try store.status().stage == .accepted)
    try store.exchange(.emergency, at: device.now)
    #expect(try store.status().newestUpdate?.location?.latitude == 2)
  }

  @Test func `a place that was found before a call stays with the alert that has ended elsewhere`() throws {
    try tell(try place(1))
    let call = try tell(AlertNews(message: "two"))
    try refuse(ItemResult.alertEnded, endedAt: alert.startedAt)
    let own = EntityID(try #require(call.press))
    #expect(try store.queue().filter { $0.entityID == own }.count == 2)
    #expect(try store.status().alert?.location?.latitude == 1, "the call has it")
  }

  @Test func `wait as a place, and as an alert where a call waits too`() throws {
    try tell(try place(1))
    try tell(try place(2))
    #expect(try UnsentCounts(store.queue()).text == "1 place")
    try tell(AlertNews(message: "two"))
    #expect(try UnsentCounts(store.queue()).text == "1 alert")
  }

  @Test func `let a call for help go before the places that wait`() throws {
    for number in 1...60 { try tell(try place(Double(number))) }
    try tell(AlertNews(message: "bleeding"))
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.count == 1 && batch.mutations[0].body.contains("bleeding"))
    try store.exchange(.emergency, at: device.now)
    #expect(try store.nextBatch(.all(.emergency)).mutations.allSatisfy { $0.body.contains("\"call\":false") })
  }

  @Test func `in memory are calls alone: a place must not become an alert`() throws {
    try tell(try place(1))
    let access = try #require(try EmergencyAccess.read(device.home, at: device.now) { (1, 2) })
    #expect(access.active.map(\.alert.id) == [alert.id] && access.active.allSatisfy { $0.anew.isEmpty })
    try tell(AlertNews(message: "two"))
    let again = try #require(try EmergencyAccess.read(device.home, at: device.now) { (1, 2) })
    #expect(again.active.flatMap(\.anew).count == 1)
  }

  @Test func `in memory are those of a store that was never migrated to this version`() throws {
    try device.withConnection { connection in
      try connection.execute("ALTER TABLE alerts DROP COLUMN only_contact")
      try connection.execute("ALTER TABLE contacts DROP COLUMN tested")
    }
    let access = try #require(try EmergencyAccess.read(device.home, at: device.now) { (1, 2) })
    #expect(access.active.map(\.alert.id) == [alert.id])
  }

  @Test func `each place is sent, with its accuracy, and the newest is shown`() throws {
    try tell(try place(1, accuracy: 5))
    try tell(try place(2, accuracy: 8, battery: 40))
    try tell(AlertNews(batteryPercent: 39))
    #expect(try updates().map { $0.location?.latitude } == [1, 2, nil])
    #expect(try updates().map(\.accuracyMeters) == [5, 8, nil])
    #expect(try updates().allSatisfy { !$0.isCall })
    let shown = try #require(try store.status().newestUpdate)
    #expect(shown.location?.latitude == 2 && shown.accuracyMeters == 8 && shown.batteryPercent == 39)
    try store.exchange(.emergency, at: device.now)
    #expect(try store.status().newestUpdate?.location?.latitude == 2)
    #expect(try store.status().newestUpdate?.batteryPercent == 39)
  }

  @Test func `a place that waits does not make the alert look unsent`() throws {
    let saved = try tell(try place(1))
    #expect(saved.press == nil)
    #expect(try store.isQueued(saved.mutation))
    #expect(try store.status().stage == .accepted && store.unsentCall() == nil)
    try store.exchange(.emergency, at: device.now)
    #expect(try !store.isQueued(saved.mutation))
  }

  @Test func `a message is a further call, with the place that waits, which stays in the track`() throws {
    try tell(try place(1, accuracy: 5))
    let saved = try tell(AlertNews(message: "two", batteryPercent: 9))
    #expect(try store.status().stage == .saved)
    let waiting = try updates()
    #expect(waiting.map(\.isCall) == [false, true])
    #expect(waiting.last?.message == "two" && waiting.last?.location?.latitude == 1)
    #expect(waiting.last?.accuracyMeters == 5 && waiting.last?.batteryPercent == 9)
    try store.exchange(.emergency, at: device.now)
    #expect(try store.pressProgress(#require(saved.press))?.acceptedAt != nil)
    #expect(try store.status().stage == .accepted)
  }

  @Test func `a place for an alert that has ended elsewhere raises no alert, and shows the end`() throws {
    try tell(try place(1))
    try tell(try place(2))
    let ended = alert.startedAt.advanced(byMilliseconds: 5000)
    try refuse(ItemResult.alertEnded, endedAt: ended)
    #expect(try store.queue().isEmpty)
    #expect(try store.status().alert?.endedAt == ended)
    #expect(try store.history(limit: 9, before: nil).entries.count == 1)
  }

  @Test func `a message for an alert that has ended elsewhere becomes an alert of its own`() throws {
    let saved = try tell(AlertNews(message: "two"))
    try refuse(ItemResult.alertEnded, endedAt: alert.startedAt)
    #expect(try store.status().alert?.id == saved.press && store.status().alert?.isActive == true)
    #expect(try store.status().alert?.message == "two")
  }

  @Test(arguments: ["unknown_alert", "invalid_body"])
  func `a place that is refused is dropped, and never parked`(_ code: String) throws {
    try tell(try place(1))
    try refuse(code, endedAt: nil)
    #expect(try store.queue().isEmpty && store.status().alert?.isActive == true)
  }

  @Test func `words that look like the mark of a place are a call`() throws {
    try tell(AlertNews(message: "\"call\":false", location: try Location(latitude: 1, longitude: 2)))
    #expect(try store.status().stage == .saved && store.unsentCall() != nil)
  }

  @Test func `an end that the server tells of is shown, though a place waits`() throws {
    try tell(try place(1))
    let ended = AlertRecord.of(alert, endedAt: alert.startedAt.advanced(byMilliseconds: 9))
    var pull = try store.nextBatch(.all(.routine))
    pull.mutations = []
    _ = try store.apply(.accepting(pull, changes: [.alert(ended)], cursor: "c2"), to: pull, at: device.now)
    #expect(try store.status().alert?.isActive == false)
  }

  @Test func `at most a hundred places wait, the newest ones`() throws {
    for index in 0..<104 { try tell(try place(Double(index) / 10)) }
    #expect(try updates().count == 100)
    #expect(try updates().first?.location?.latitude == 0.4 && updates().last?.location?.latitude == 10.3)
  }

  @Test func `they survive a crash at once`() throws {
    try tell(AlertNews(message: "two"))
    let again = try device.open()
    #expect(try again.status().newestUpdate?.message == "two")
  }
}
