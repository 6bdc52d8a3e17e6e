import LocalStore
import Model
import Testing
import Wire

/// Calls for help with different words, which wait on the device: each of them reaches the responders.
@Suite struct `Words of calls that wait` {
  let device: Device
  let store: LocalStore
  let first: Alert

  init() throws {
    device = Device()
    (store, first) = try device.openWithAlert("fell on the ridge")
  }

  @discardableResult
  private func press(_ message: String?) throws -> Activation {
    try store.activateAlert(AlertDraft(message: message), at: device.now)
  }

  private func waiting() throws -> [AlertUpdate] {
    try store.queue().filter { $0.kind == "alert.update" }.map { item in
      let root = try JSONDocument(Array(item.body.utf8)).root
      let change = try Mutation.Change.read(kind: .updateAlert, occurredAt: first.startedAt, body: root).get()
      guard case .updateAlert(let update) = change else { throw JSONError(.wrongShape, "no update") }
      return update
    }
  }

  private func words() throws -> [String?] { try waiting().map(\.message) }

  /// Answers the first item alone, as a server does that applies nothing behind a refused one.
  private func answer(_ result: (String) -> ItemResult) throws {
    let batch = try store.nextBatch(.all(.emergency))
    var response = SyncResponse.accepting(batch, cursor: "c2")
    response.results = batch.mutations.prefix(1).map { result($0.id.description) }
    _ = try store.apply(response, to: batch, at: device.now)
  }

  private func refuseFirst(_ code: String = ItemResult.alertEnded) throws {
    try answer { ItemResult(id: $0, status: .rejected, code: code, message: "no", endedAt: first.startedAt) }
  }

  @Test func `are sent in the order in which they were said`() throws {
    for message in ["leg broken", "rope is stuck"] { try press(message) }
    _ = try store.updateAlert(AlertNews(message: "it is snowing"), at: device.now)
    #expect(try words() == ["leg broken", "rope is stuck", "it is snowing"])
    let sent = try store.nextBatch(.all(.emergency)).mutations.map(\.body)
    #expect(sent.count == 3 && sent[0].contains("leg broken") && sent[2].contains("snowing"))
  }

  @Test func `that were said twice in a row wait once, and twice if others came between`() throws {
    for message in ["leg broken", "leg broken", nil, "rope is stuck", nil, "leg broken", nil, nil] {
      try press(message)
    }
    #expect(try words() == ["leg broken", "rope is stuck", "leg broken"])
  }

  @Test func `make a press without words that waits superfluous`() throws {
    for _ in 1...20 { try press(nil) }
    #expect(try words() == [nil])
    try press("leg broken")
    #expect(try words() == ["leg broken"])
  }

  @Test func `are received one by one`() throws {
    let presses = try ["leg broken", "rope is stuck"].map { try press($0) }
    try answer { ItemResult(id: $0, status: .applied, appliedAt: SyncResponse.serverTime) }
    #expect(try store.pressProgress(presses[0].press)?.acceptedAt != nil)
    #expect(try store.pressProgress(presses[1].press)?.acceptedAt == nil)
    #expect(try store.status().stage == .saved && store.status().newestUpdate?.message == "rope is stuck")
    try store.exchange(.emergency, at: device.now)
    #expect(try store.pressProgress(presses[1].press)?.acceptedAt != nil && store.status().stage == .accepted)
  }

  @Test func `are joined from the oldest on where somebody goes on typing, and none is lost`() throws {
    let said = (1...50).map { "message \($0)." }
    for message in said { try press(message) }
    #expect(try waiting().count == LocalStore.waitingCallLimit)
    let all = try words().compactMap { $0 }
    #expect(said.allSatisfy { message in all.contains { $0.contains(message) } })
    #expect(all.last == "message 50." && all[8] == "message 49.")
    let joined = try #require(all.first)
    #expect(joined.hasPrefix("message 41. / message 40. / ") && joined.hasSuffix(" / message 1."))
    try store.exchange(.emergency, at: device.now)
    #expect(try store.queue().isEmpty && store.status().stage == .accepted)
  }

  @Test func `are cut with a mark where they are too long to be joined, the newest last`() throws {
    let said = (1...14).map { "\($0) " + String(repeating: "x", count: 990) }
    for message in said { try press(message) }
    let all = try words().compactMap { $0 }
    #expect(all.count == LocalStore.waitingCallLimit)
    #expect(Array(all.suffix(9)) == Array(said.suffix(9)))
    #expect(all[0].hasPrefix(said[4]) && all[0].hasSuffix("…"))
  }

  /// The answer to the request that is on its way must not take the place of one for the joined words.
  @Test func `are sent again where they were joined while they were on their way`() throws {
    let presses = try (1...10).map { try press("message \($0).") }
    let sent = try store.nextBatch(.all(.emergency))
    try press("message 11.")
    _ = try store.apply(.accepting(sent, cursor: "c2"), to: sent, at: device.now)
    #expect(try words() == ["message 2. / message 1.", "message 11."])
    try store.exchange(.emergency, at: device.now)
    #expect(try presses.allSatisfy { try store.pressProgress($0.press)?.acceptedAt != nil })
  }

  @Test func `become one alert if the other has ended, the newest first`() throws {
    let place = try Location(latitude: 46, longitude: 8)
    var presses = [try store.activateAlert(AlertDraft(message: "leg broken", location: place), at: device.now)]
    presses += try ["rope is stuck", "it is snowing"].map { try press($0) }
    try refuseFirst()
    let alert = try #require(try store.status().alert)
    #expect(alert.id == presses[2].press && alert.isActive && alert.location == place)
    #expect(alert.message == "it is snowing / rope is stuck / leg broken")
    #expect(try store.queue().map(\.kind) == ["alert.activate", "notification.activated"])
    #expect(try presses.allSatisfy { try store.pressProgress($0.press)?.alertID == alert.id })
    #expect(try store.history(limit: 9, before: nil).entries.count == 2)
  }

  @Test func `that became one alert are received with it`() throws {
    let presses = try ["leg broken", "rope is stuck"].map { try press($0) }
    try refuseFirst()
    let later = try press("it is snowing")
    try answer { ItemResult(id: $0, status: .applied, appliedAt: SyncResponse.serverTime) }
    #expect(try presses.allSatisfy { try store.pressProgress($0.press)?.acceptedAt == SyncResponse.serverTime })
    #expect(try store.pressProgress(later.press)?.acceptedAt == nil && store.unsentCall()?.press == later.press)
    try store.exchange(.emergency, at: device.now)
    #expect(try store.unsentCall() == nil && store.status().stage == .accepted)
  }

  @Test func `become one alert that has ended, where the person ended it since`() throws {
    let presses = try ["leg broken", "rope is stuck"].map { try press($0) }
    _ = try store.deactivateAlerts(at: device.now)
    try refuseFirst()
    let own = EntityID(presses[1].press)
    let queued = try store.queue().filter { $0.entityID == own }
    #expect(
      queued.map(\.kind) == [
        "alert.activate", "notification.activated", "alert.deactivate", "notification.deactivated",
      ])
    #expect(queued.first?.body.contains("rope is stuck / leg broken") == true)
    #expect(try store.status().alert?.isActive == false)
  }

  @Test func `keep an alert active until the server has decided on all of them`() throws {
    for message in ["leg broken", "rope is stuck"] { try press(message) }
    let ended = AlertRecord.of(first, endedAt: first.startedAt.advanced(byMilliseconds: 9))
    var pull = try store.nextBatch(.all(.routine))
    pull.mutations = []
    _ = try store.apply(.accepting(pull, changes: [.alert(ended)], cursor: "c2"), to: pull, at: device.now)
    try answer { ItemResult(id: $0, status: .duplicate, appliedAt: SyncResponse.serverTime) }
    #expect(try store.status().alert?.isActive == true)
    try answer { ItemResult(id: $0, status: .duplicate, appliedAt: SyncResponse.serverTime) }
    #expect(try store.status().alert?.isActive == false)
  }

  @Test func `are all offered to a server that has lost the alert, under their ids`() throws {
    let presses = try ["leg broken", "rope is stuck"].map { try press($0) }
    let place = AlertNews(location: try Location(latitude: 46, longitude: 8))
    _ = try store.updateAlert(place, at: device.now)
    var pull = try store.nextBatch(.all(.routine))
    _ = try store.apply(.accepting(pull, epoch: "two"), to: pull, at: device.now)
    pull = try store.nextBatch(.all(.routine))
    _ = try store.apply(.accepting(pull, epoch: "two"), to: pull, at: device.now)
    #expect(
      try store.queue().map(\.kind) == ["alert.activate", "notification.activated", "alert.update", "alert.update"])
    #expect(try words() == ["leg broken", "rope is stuck"])
    try store.exchange(.emergency, at: device.now)
    #expect(try presses.allSatisfy { try store.pressProgress($0.press)?.acceptedAt != nil })
  }

  @Test func `come from the spool each`() throws {
    for message in ["leg broken", "rope is stuck", "it is snowing"] {
      _ = try Spool.activate(
        AlertDraft(message: message), home: device.home, options: device.options, at: device.now)
    }
    #expect(store.takeInSpool(at: device.now))
    #expect(try words() == ["leg broken", "rope is stuck", "it is snowing"])
  }

  @Test func `are sent from memory as the store sends them`() throws {
    let presses = try ["leg broken", "rope is stuck"].map { try press($0) }
    let message = try #require(try EmergencyMessage.queued(store, at: device.now).first)
    #expect(message.mutations.map(\.kind) == [.updateAlert, .updateAlert])
    let own = try #require(message.newestAnew)
    #expect(own.alert.id == presses[1].press && own.alert.message == "rope is stuck / leg broken")
    #expect(message.perhapsAnew.map(\.alert.id) == [presses[1].press])
  }
}
