import LocalStore
import Model
import Testing
import Wire

@Suite struct `The local view` {
  let device: Device
  let store: LocalStore

  init() throws {
    device = Device()
    store = try device.open()
  }

  private func record(_ name: String) throws -> ContactRecord {
    ContactRecord(details: try .named(name), webhookSecret: "whsec_\(name)")
  }

  /// Makes a contact that both the device and the server have.
  private func settledContact(_ name: String) throws -> Contact {
    let contact = try store.putContact(nil, .named(name), at: device.now)
    try store.exchange(.routine, changes: [.contact(contact.id, record(name))], at: device.now)
    return contact
  }

  @Test func `has a contact with its secret once the server knows it`() throws {
    let contact = try store.putContact(nil, .named("Ana"), at: device.now)
    #expect(try store.contacts().map(\.isPending) == [true])
    #expect(try store.contacts().map(\.webhookSecret) == [nil])
    try store.exchange(.routine, changes: [.contact(contact.id, record("Ana"))], at: device.now)
    let stored = try #require(try store.contacts().first)
    #expect(
      stored
        == StoredContact(contact: contact, webhookSecret: "whsec_Ana", isPending: false, onServer: contact.details))
  }

  @Test func `keeps a contact's tier, its own and the server's`() throws {
    func details(tier: Int) throws -> ContactDetails {
      try ContactDetails(
        name: "Ana", phone: "+12025550143", isResponder: true, isDependent: false, channels: [], tier: tier)
    }
    let contact = try store.putContact(nil, details(tier: 3), at: device.now)
    #expect(try store.contacts().map(\.contact.details.tier) == [3])
    #expect(try store.queue().first?.body.contains("\"tier\":3") == true)
    let record = ContactRecord(details: try details(tier: 2), webhookSecret: "whsec_Ana")
    try store.exchange(.routine, changes: [.contact(contact.id, record)], at: device.now)
    #expect(try store.contacts().map(\.contact.details.tier) == [2])
    let plain = try store.putContact(nil, details(tier: 1), at: device.now)
    #expect(try store.queue().first { $0.entityID == EntityID(plain.id) }?.body.contains("tier") == false)
  }

  @Test func `shows a queued change over the server's`() throws {
    let contact = try settledContact("Ana")
    _ = try store.putContact(contact.id, .named("Anna"), at: device.now)
    var batch = try store.nextBatch(.all(.routine))
    batch.mutations = []
    _ = try store.apply(
      .accepting(batch, changes: [.contact(contact.id, record("Other device's"))]), to: batch, at: device.now)
    #expect(try store.contacts().map(\.contact.details.name) == ["Anna"])
    let item = try #require(try store.queue().first)
    _ = try store.discard(item.id, at: device.now)
    #expect(try store.contacts().map(\.contact.details.name) == ["Other device's"])
  }

  /// The first answer to the local change was lost, and meanwhile another device's later change was pulled.
  private func changedElsewhereAfterwards() throws -> (contact: Contact, batch: Batch, repeated: SyncResponse) {
    let contact = try settledContact("Ana")
    _ = try store.putContact(contact.id, .named("Anna"), at: device.now)
    var pull = try store.nextBatch(.all(.routine))
    pull.mutations = []
    _ = try store.apply(
      .accepting(pull, changes: [.contact(contact.id, record("Later"))], cursor: "c2"), to: pull, at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    var response = SyncResponse.accepting(batch, cursor: "c3")
    response.results[0].status = .duplicate
    return (contact, batch, response)
  }

  @Test func `yields to changes made after one that the server had already accepted`() throws {
    let (_, batch, response) = try changedElsewhereAfterwards()
    #expect(try store.contacts().map(\.contact.details.name) == ["Anna"])
    #expect(try store.apply(response, to: batch, at: device.now).pushed == 1)
    #expect(try store.contacts().map(\.contact.details.name) == ["Later"])
    #expect(try store.pendingCount() == 0)
  }

  @Test func `keeps a change that the server had already accepted until all later ones have arrived`() throws {
    let (contact, first, response) = try changedElsewhereAfterwards()
    var partial = response
    partial.hasMore = true
    let applied = try store.apply(partial, to: first, at: device.now)
    #expect((applied.pushed, applied.waiting) == (0, 1))
    #expect(try store.contacts().map(\.contact.details.name) == ["Anna"])
    let batch = try store.nextBatch(.all(.routine))
    #expect(batch.mutations == first.mutations)
    var whole = response
    whole.changes = [.contact(contact.id, try record("Latest"))]
    #expect(try store.apply(whole, to: batch, at: device.now).pushed == 1)
    #expect(try store.contacts().map(\.contact.details.name) == ["Latest"])
  }

  @Test func `keeps a contact that the server had already accepted but never named`() throws {
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    var response = SyncResponse.accepting(batch)
    response.results[0].status = .duplicate
    #expect(try store.apply(response, to: batch, at: device.now).pushed == 1)
    #expect(try store.contacts().map(\.contact.details.name) == ["Ana"])
    #expect(try store.contacts().map(\.isPending) == [false])
  }

  @Test func `shows a removed contact again when the removal is discarded or refused`() throws {
    let contact = try settledContact("Ana")
    #expect(try store.removeContact(contact.id, at: device.now) == contact)
    #expect(try store.contacts().isEmpty)
    #expect(throws: LocalStoreError.self) { try store.removeContact(contact.id, at: device.now) }
    let batch = try store.nextBatch(.all(.routine))
    _ = try store.apply(.refusing(batch), to: batch, at: device.now)
    #expect(try store.contacts().map(\.contact) == [contact])
    #expect(try store.contacts().map(\.isPending) == [true])
    _ = try store.discard(try #require(try store.queue().first).id, at: device.now)
    #expect(try store.contacts().map(\.contact) == [contact])
    #expect(try store.contacts().map(\.isPending) == [false])
  }

  @Test func `shows a refused edit until it is discarded`() throws {
    let contact = try settledContact("Ana")
    _ = try store.putContact(contact.id, .named("Anna"), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    _ = try store.apply(.refusing(batch), to: batch, at: device.now)
    #expect(try store.contacts().map(\.contact.details.name) == ["Anna"])
    _ = try store.discard(try #require(try store.queue().first).id, at: device.now)
    #expect(try store.contacts().map(\.contact.details.name) == ["Ana"])
  }

  @Test func `drops a contact that neither side has`() throws {
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    _ = try store.discard(try #require(try store.queue().first).id, at: device.now)
    #expect(try store.contacts().isEmpty)
  }

  @Test func `drops a contact that another device removed, unless an edit is queued`() throws {
    let ana = try settledContact("Ana")
    let ben = try settledContact("Ben")
    _ = try store.putContact(ben.id, .named("Benjamin"), at: device.now)
    var batch = try store.nextBatch(.all(.routine))
    batch.mutations = []
    _ = try store.apply(
      .accepting(batch, changes: [.contact(ana.id, nil), .contact(ben.id, nil)]), to: batch, at: device.now)
    #expect(try store.contacts().map(\.contact.details.name) == ["Benjamin"])
  }

  @Test func `never changes an alert's start, and keeps its end`() throws {
    let alert = try store.activateAlert(AlertDraft(message: "mine"), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    let end = device.now.wall
    let moved = Alert(id: alert.id, startedAt: end, endedAt: end)
    try store.exchange(
      .routine,
      changes: [
        .alert(AlertRecord(alert: moved, ordinal: 1, receivedAt: SyncResponse.serverTime, endReceivedAt: end))
      ], at: device.now)
    #expect(try store.status().alert?.startedAt == alert.startedAt)
    #expect(try store.status().alert?.endedAt == end)
    try store.exchange(.routine, changes: [.alert(.of(alert))], at: device.now)
    #expect(try store.status().alert?.endedAt == end)
  }

  @Test func `prefers the server's end to its own later one`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, changes: [.alert(.of(alert))], at: device.now)
    let first = device.now.wall
    _ = try store.deactivateAlerts(at: device.now)
    try store.exchange(.emergency, changes: [.alert(.of(alert, endedAt: first))], at: device.now)
    #expect(try store.status().alert?.endedAt == first)
    #expect(try store.pendingCount() == 0)
  }

  @Test func `shows an alert as ended while its end is queued, whatever the server says`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let ended = try store.deactivateAlerts(at: device.now)
    var batch = try store.nextBatch(.all(.emergency))
    batch.mutations = []
    batch.notifications = []
    _ = try store.apply(.accepting(batch, changes: [.alert(.of(alert))]), to: batch, at: device.now)
    #expect(try store.status().alert == ended.first)
    #expect(try store.status().stage == .accepted)
  }

  @Test func `shows the delivery state of each responder`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    func receipt(_ number: UInt64, _ notice: Notice, _ state: DeliveryState) -> Receipt {
      let time = Timestamp(milliseconds: 1)
      return Receipt(
        id: ReceiptID(versionSevenAt: time, random: (number, number)), alertID: alert.id,
        contactID: ContactID(versionSevenAt: time, random: (number, 0)), contactName: "Ana", notice: notice,
        channel: .ntfy, state: state, at: SyncResponse.serverTime, reason: nil)
    }
    _ = try store.deactivateAlerts(at: device.now)
    try store.exchange(
      .emergency, changes: [.receipt(receipt(1, .activated, .queued)), .receipt(receipt(2, .deactivated, .queued))],
      at: device.now)
    try store.exchange(.routine, changes: [.receipt(receipt(1, .activated, .sent))], at: device.now)
    #expect(try store.status().responders == [receipt(1, .activated, .sent)])
    #expect(try store.status().safeReceipts == [receipt(2, .deactivated, .queued)])
  }

  @Test func `shows once an answer that two messages by one channel have`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    func receipt(after milliseconds: Int64, _ state: DeliveryState, _ reason: String?) -> Receipt {
      Receipt(
        id: ReceiptID(versionSevenAt: Timestamp(milliseconds: milliseconds), random: (1, 1)), alertID: alert.id,
        contactID: ContactID(versionSevenAt: Timestamp(milliseconds: 1), random: (1, 0)), contactName: "Ana",
        notice: .activated, channel: .ntfy, state: state, at: SyncResponse.serverTime, reason: reason)
    }
    func shown(_ changes: [Receipt]) throws -> [Receipt] {
      try store.exchange(.routine, changes: changes.map { .receipt($0) }, at: device.now)
      return try store.status().responders
    }
    let reminder = receipt(after: 60_000, .acknowledged, "on the way")
    #expect(try shown([receipt(after: 1, .acknowledged, "on the way"), reminder]) == [reminder])
    let declined = receipt(after: 60_000, .seen, "they said that they can't come")
    #expect(try shown([declined]).count == 2, "they say different things")
  }

  /// Somebody called for help again after that end was sent.
  @Test func `shows no receipts of an earlier end`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let time = SyncResponse.serverTime.advanced(byMilliseconds: -1)
    let earlier = Receipt(
      id: ReceiptID(versionSevenAt: time, random: (1, 1)), alertID: alert.id,
      contactID: ContactID(versionSevenAt: time, random: (1, 0)), contactName: "Ana", notice: .deactivated,
      channel: .ntfy, state: .sent, at: time, reason: nil)
    try store.exchange(.emergency, changes: [.receipt(earlier)], at: device.now)
    #expect(try store.status().safeReceipts == [], "the alert is active")
    _ = try store.deactivateAlerts(at: device.now)
    #expect(try store.status().safeReceipts == [], "the end is not sent yet")
    try store.exchange(.emergency, at: device.now)
    #expect(try store.status().safeReceipts == [], "the receipt is older than this end")
  }

  @Test func `no longer shows an alert as discarded when the server has it`() throws {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try store.discard(try #require(try store.queue().first).id, at: device.now)
    try store.exchange(.routine, changes: [.alert(.of(alert))], at: device.now)
    #expect(try store.status().alert == alert)
    #expect(try store.history(limit: 1, before: nil).entries.first?.isDiscarded == false)
  }
}
