import LocalStore
import Model
import Testing
import Wire

/// A drill that one contact alone is told of, on the device.
@Suite struct `A test of a contact` {
  private let device = Device()
  private let store: LocalStore
  private let ana: Contact

  init() throws {
    store = try device.open()
    try store.signIn(.of(1), at: device.now)
    ana = try store.putContact(nil, .named("Ana"), at: device.now)
    try exchange(channels: ["webhook", "ntfy"])
  }

  private func exchange(
    _ lane: Lane = .routine, _ changes: [Change] = [], channels: [String]? = ["webhook", "ntfy"]
  ) throws {
    let batch = try store.nextBatch(.all(lane))
    var answer = SyncResponse.accepting(batch, changes: changes)
    answer.channels = channels
    _ = try store.apply(answer, to: batch, at: device.now)
  }

  private func start(_ id: ContactID? = nil) throws -> ContactTestStart {
    try store.testContact(id ?? ana.id, utcOffsetMinutes: 60, at: device.now)
  }

  private func running() throws -> ContactTest {
    guard case .running(let test) = try start() else { throw NotRunning() }
    return test
  }

  private struct NotRunning: Error {}

  @Test func `is no alert to tell news of, and none that is sent from memory`() throws {
    _ = try running()
    #expect(try store.updateAlert(AlertNews(message: "I'm hurt"), at: device.now) == nil)
    let access = try #require(try EmergencyAccess.read(device.home, at: device.now) { (1, 2) })
    #expect(access.active.isEmpty)
  }

  @Test func `is queued as a drill that only they are told of`() throws {
    let test = try running()
    let items = try store.queue()
    #expect(items.map(\.kind) == ["alert.activate", "notification.activated"])
    #expect(items[0].body.contains("\"drill\":true") && items[0].body.hasSuffix("\"only\":\"\(ana.id)\"}"))
    #expect(try store.contactTest(test.alertID) == test)
    #expect(try store.newestContactTests() == [ana.id: test])
  }

  @Test func `that cannot be read is left out of the list`() throws {
    let test = try running()
    let ben = try store.putContact(nil, .named("Ben"), at: device.now)
    try exchange()
    _ = try start(ben.id)
    try device.withConnection { connection in
      try connection.execute(
        "PRAGMA ignore_check_constraints = ON; UPDATE alerts SET only_contact = '?' WHERE id = '\(test.alertID)'")
    }
    #expect(try Array(store.newestContactTests().keys) == [ben.id])
  }

  @Test func `is no alert: nothing shows it, nothing ends it, and no press repeats it`() throws {
    let test = try running()
    #expect(try store.status().alert == nil)
    #expect(try store.activeAlerts().isEmpty && store.history(limit: 9, before: nil).entries.isEmpty)
    #expect(try store.deactivateAlerts(at: device.now).isEmpty)
    #expect(try !store.syncState().hasActiveAlert)
    #expect(try store.signOutAgreement(at: device.now).activeAlerts.isEmpty)
    let drill = try store.activateAlert(AlertDraft(isDrill: true), at: device.now)
    #expect(!drill.alreadyActive && drill.alert.id != test.alertID)
    let real = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(!real.alreadyActive && !real.alert.isDrill)
    #expect(try store.status().alert?.id == real.alert.id)
  }

  @Test func `is started once`() throws {
    let first = try running()
    try exchange(.emergency)
    let again = try running()
    #expect(again.alertID == first.alertID && again.acceptedAt == SyncResponse.serverTime)
  }

  @Test func `is refused where it could not be one`() throws {
    let silent = try ContactDetails(
      name: "Ben", phone: "+12025550144", isResponder: true, isDependent: false, channels: [])
    let ben = try store.putContact(nil, silent, at: device.now)
    let cem = try store.putContact(nil, .named("Cem", isResponder: false), at: device.now)
    #expect(try start(ben.id) == .refused(.noChannel))
    #expect(try start(cem.id) == .refused(.notResponder))
    let nobody = ContactID(versionSevenAt: Timestamp(milliseconds: 1), random: (9, 9))
    #expect(throws: LocalStoreError.self) { try start(nobody) }
    try exchange(channels: ["sms"])
    #expect(try start() == .refused(.unsupported))
    try exchange(channels: nil)
    #expect(try start() == .refused(.unknownServer), "an old server would tell everybody")
    try exchange()
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    #expect(try start() == .refused(.alertActive))
    _ = try store.deactivateAlerts(at: device.now)
    #expect(try store.queue().allSatisfy { $0.entityID == EntityID(alert.id) })
  }

  @Test func `is ended after half an hour by the next exchange, and nobody is told of that`() throws {
    let test = try running()
    try exchange(.emergency)
    device.setClock(byMilliseconds: Alert.testMilliseconds)
    #expect(try store.contactTest(test.alertID)?.isOver(at: device.now.wall) == true)
    try exchange()
    let ended = try #require(try store.contactTest(test.alertID))
    #expect(ended.endedAt == test.startedAt.advanced(byMilliseconds: Alert.testMilliseconds))
    #expect(try store.queue().map(\.kind) == ["alert.deactivate"])
    #expect(try running().alertID != test.alertID)
  }

  @Test func `is over when the server says so, with what was answered`() throws {
    let test = try running()
    try exchange(.emergency)
    let receipt = Receipt(
      id: ReceiptID(versionSevenAt: Timestamp(milliseconds: 7), random: (1, 1)), alertID: test.alertID,
      contactID: ana.id, contactName: "Ana", notice: .activated, channel: .webhook, state: .acknowledged,
      at: SyncResponse.serverTime, reason: nil)
    let alert = Alert(
      id: test.alertID, startedAt: test.startedAt, endedAt: SyncResponse.serverTime, isDrill: true, onlyContact: ana.id)
    let record = AlertRecord(
      alert: alert, ordinal: 1, receivedAt: SyncResponse.serverTime, endReceivedAt: SyncResponse.serverTime)
    try exchange(.routine, [.receipt(receipt), .alert(record)])
    let over = try #require(try store.contactTest(test.alertID))
    #expect(over.isOver && over.isAnswered && over.receipts == [receipt])
  }

  @Test func `of another device is known, and is no alert here either`() throws {
    let alert = Alert(
      id: AlertID(versionSevenAt: Timestamp(milliseconds: 5), random: (5, 5)), startedAt: device.now.wall,
      isDrill: true, onlyContact: ana.id)
    let record = AlertRecord(alert: alert, ordinal: 1, receivedAt: SyncResponse.serverTime, endReceivedAt: nil)
    try exchange(.routine, [.alert(record)])
    #expect(try store.status().alert == nil)
    #expect(try store.newestContactTests()[ana.id]?.alertID == alert.id)
    #expect(try running().alertID == alert.id)
  }

  @Test func `that the server refused says why`() throws {
    let test = try running()
    let batch = try store.nextBatch(.all(.emergency))
    var answer = SyncResponse.refusing(batch)
    answer.results[0].message = "not now"
    _ = try store.apply(answer, to: batch, at: device.now)
    let refused = try #require(try store.contactTest(test.alertID))
    #expect(refused.refusal == "not now" && refused.isOver)
  }

  @Test func `that a restored server has lost is not told to everybody, but forgotten`() throws {
    let test = try running()
    try exchange(.emergency)
    let batch = try store.nextBatch(.all(.routine))
    _ = try store.apply(.accepting(batch, epoch: "two", cursor: "d1"), to: batch, at: device.now)
    let again = try store.nextBatch(.all(.routine))
    #expect(again.cursor == nil)
    _ = try store.apply(.accepting(again, epoch: "two", cursor: "d2"), to: again, at: device.now)
    #expect(try store.queue().allSatisfy { !$0.kind.hasPrefix("alert.") })
    #expect(try store.contactTest(test.alertID)?.endedAt != nil)
  }
}
