import LocalStore
import Model
import Testing
import Wire

/// Why an alert reaches nobody, as far as this device knows.
@Suite struct `Whether anybody is told` {
  let device = Device()
  let store: LocalStore

  init() throws {
    store = try device.open()
    try store.signIn(.of(1), at: device.now)
  }

  private func raise(pullingFirst: Bool = true) throws -> Alert {
    if pullingFirst { try store.exchange(.routine, at: device.now) }
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    try store.exchange(.emergency, at: device.now)
    return alert
  }

  private func tell(_ states: [DeliveryState], of alert: Alert) throws {
    let changes = states.enumerated().map { number, state in
      Change.receipt(
        Receipt(
          id: ReceiptID(versionSevenAt: Timestamp(milliseconds: 7), random: (UInt64(number), 7)), alertID: alert.id,
          contactID: ContactID(versionSevenAt: Timestamp(milliseconds: 8), random: (UInt64(number), 8)),
          contactName: "Ana", notice: .activated, channel: .webhook, state: state, at: SyncResponse.serverTime,
          reason: nil))
    }
    try store.exchange(.routine, changes: changes, cursor: "c9", at: device.now)
  }

  private func reason() throws -> NobodyIsTold? { try store.status().nobodyIsTold }

  @Test func `an account without responders tells nobody`() throws {
    _ = try store.putContact(nil, .named("Ana", isResponder: false), at: device.now)
    _ = try raise()
    #expect(try reason() == .noResponders)
  }

  @Test func `a responder counts only with a channel`() throws {
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550123", isResponder: true, isDependent: false, channels: [])
    let contact = try store.putContact(nil, details, at: device.now)
    _ = try raise()
    #expect(try reason() == .noChannel)
    _ = try store.putContact(contact.id, .named("Ana"), at: device.now)
    #expect(try reason() == nil)
  }

  @Test func `a responder whom the server refused does not count`() throws {
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    _ = try store.apply(.refusing(batch), to: batch, at: device.now)
    _ = try raise(pullingFirst: false)
    #expect(try reason() == .refused)
  }

  @Test func `nobody is told if every message failed, but somebody may be if one did not`() throws {
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let alert = try raise()
    #expect(try reason() == nil)
    try tell([.failed, .queued], of: alert)
    #expect(try reason() == nil)
    try tell([.failed, .failed], of: alert)
    #expect(try reason() == .unreachable)
    try tell([.failed, .sent], of: alert)
    #expect(try reason() == nil)
  }

  @Test func `a responder who was told and then removed does not count`() throws {
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    let alert = try raise()
    let receipt = Receipt(
      id: ReceiptID(versionSevenAt: Timestamp(milliseconds: 7), random: (1, 7)), alertID: alert.id, contactID: ana.id,
      contactName: "Ana", notice: .activated, channel: .webhook, state: .sent, at: SyncResponse.serverTime, reason: nil)
    try store.exchange(.routine, changes: [.receipt(receipt)], cursor: "c9", at: device.now)
    #expect(try reason() == nil)
    try store.exchange(.routine, changes: [.contact(ana.id, nil)], cursor: "c10", at: device.now)
    #expect(try reason() == .noResponders)
  }

  @Test func `"no way to reach them" is not said of somebody who is told in another way`() throws {
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    let alert = try raise()
    func tell(_ number: UInt64, _ channel: Channel.Kind, _ state: DeliveryState, _ notice: Notice) throws {
      let receipt = Receipt(
        id: ReceiptID(versionSevenAt: Timestamp(milliseconds: 7), random: (number, 7)), alertID: alert.id,
        contactID: ana.id, contactName: "Ana", notice: notice, channel: channel, state: state,
        at: SyncResponse.serverTime, reason: nil)
      try store.exchange(.routine, changes: [.receipt(receipt)], cursor: "c\(number)", at: device.now)
    }
    try tell(1, .noChannel, .failed, .activated)
    #expect(try store.status().responders.map(\.channel) == [.noChannel])
    try tell(2, .app, .sent, .activated)
    #expect(try store.status().responders.map(\.channel) == [.app])
    _ = try store.deactivateAlerts(at: device.now)
    try store.exchange(.emergency, at: device.now)
    try tell(3, .noChannel, .failed, .deactivated)
    #expect(try store.status().safeReceipts.map(\.channel) == [.noChannel], "they are told of help, and of no end")
    try tell(4, .app, .sent, .deactivated)
    #expect(try store.status().safeReceipts.map(\.channel) == [.app])
  }

  @Test func `a responder whom the app told before counts without a channel`() throws {
    let details = try ContactDetails(
      name: "Ana", phone: "+12025550123", isResponder: true, isDependent: false, channels: [])
    let ana = try store.putContact(nil, details, at: device.now)
    func tell(_ number: UInt64, of alert: Alert, _ channel: Channel.Kind, _ state: DeliveryState) throws {
      let receipt = Receipt(
        id: ReceiptID(versionSevenAt: Timestamp(milliseconds: 7), random: (number, 7)), alertID: alert.id,
        contactID: ana.id, contactName: "Ana", notice: .activated, channel: channel, state: state,
        at: SyncResponse.serverTime, reason: nil)
      try store.exchange(.routine, changes: [.receipt(receipt)], cursor: "c\(number)", at: device.now)
    }
    let first = try raise()
    #expect(try reason() == .noChannel)
    try tell(1, of: first, .noChannel, .failed)
    #expect(try reason() == .unreachable)
    #expect(try reason()?.isCertain == false, "the app may tell her all the same")
    try tell(2, of: first, .app, .sent)
    #expect(try reason() == nil)
    _ = try store.deactivateAlerts(at: device.now)
    try store.exchange(.emergency, at: device.now)

    let second = try store.activateAlert(AlertDraft(), at: device.now).alert
    #expect(try reason() == nil)
    #expect(try store.readiness().obstacle != .noChannel)
    try store.exchange(.emergency, at: device.now)
    try tell(3, of: second, .noChannel, .failed)
    #expect(try reason() == nil, "the app tells her within the second")
  }

  @Test func `it is unknown before the device has pulled the account's contacts, and after the alert has ended`()
    throws
  {
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    #expect(try reason() == nil)
    // The answer to the alert key accepts the alert, and brings no contacts.
    var selection = BatchSelection.all(.emergency)
    selection.isAlertKeyOnly = true
    let batch = try store.nextBatch(selection)
    _ = try store.apply(.accepting(batch, cursor: ""), to: batch, at: device.now)
    #expect(try store.status().stage == .accepted)
    #expect(try reason() == nil)
    try store.exchange(.routine, changes: [.alert(.of(alert))], at: device.now)
    #expect(try reason() == .noResponders)
    _ = try store.deactivateAlerts(at: device.now)
    #expect(try reason() == nil)
  }
}
