import LocalStore
import Model
import Testing
import Wire

/// Several devices of one person raised an alert each before they heard of each other.
@Suite struct `Several active alerts` {
  private let device: Device
  private let store: LocalStore
  private let own: Alert
  private let other: Alert

  init() throws {
    device = Device()
    store = try device.open()
    own = try store.activateAlert(AlertDraft(message: "here"), at: device.now).alert
    let time = device.now.wall
    other = Alert(id: AlertID(versionSevenAt: time, random: (8, 8)), startedAt: time, message: "there")
    try store.exchange(
      .emergency, changes: [.alert(.of(own, ordinal: 2)), .alert(.of(other, ordinal: 1))], at: device.now)
  }

  private func receipt(
    _ number: UInt64, _ name: String, of alert: Alert, _ state: DeliveryState, reason: String? = nil, after: Int64 = 0
  ) -> Receipt {
    let time = Timestamp(milliseconds: 1)
    return Receipt(
      id: ReceiptID(versionSevenAt: time, random: (number, number)), alertID: alert.id,
      contactID: ContactID(versionSevenAt: time, random: (UInt64(name.count), 0)), contactName: name,
      notice: .activated, channel: .ntfy, state: state, at: SyncResponse.serverTime.advanced(byMilliseconds: after),
      reason: reason)
  }

  private func shown(_ receipts: Receipt...) throws -> [Receipt] {
    try store.exchange(.routine, changes: receipts.map { .receipt($0) }, at: device.now)
    return try store.status().responders
  }

  @Test func `are all in the status, with what was said last in each`() throws {
    let status = try store.status()
    #expect(status.alert == other, "the server's first")
    #expect(status.otherActive == [OtherActiveAlert(own)])
    try store.exchange(
      .routine,
      changes: [.alert(.of(own, ordinal: 2, endedAt: device.now.wall)), .alert(.of(other, ordinal: 1))], at: device.now)
    #expect(try store.status().otherActive.isEmpty)
  }

  @Test func `are ended as the status showed them, and one that came since goes on`() throws {
    let shown = try #require(try store.status().toEnd)
    #expect(Set(shown) == Set(try store.alertsToEnd()) && shown.count == 2)
    let third = Alert(
      id: AlertID(versionSevenAt: device.now.wall, random: (9, 9)), startedAt: device.now.wall, message: "meanwhile")
    try store.exchange(.routine, changes: [.alert(.of(third, ordinal: 3))], at: device.now)
    #expect(Set(try store.deactivateAlerts(shown, at: device.now).map(\.id)) == [own.id, other.id])
    #expect(try store.status().alert == third)
    #expect(try store.status().toEnd?.map(\.alert) == [third])
  }

  @Test func `show whoever answered any of them`() throws {
    let answer = receipt(2, "Ana", of: own, .acknowledged, reason: "on the way", after: 5)
    let ben = receipt(4, "Benny", of: other, .sent)
    #expect(
      try shown(receipt(1, "Ana", of: other, .sent), answer, receipt(3, "Benny", of: own, .queued), ben) == [
        answer, ben,
      ])
  }

  @Test func `show the newest of two answers`() throws {
    let comes = receipt(1, "Ana", of: other, .acknowledged)
    #expect(try shown(comes, receipt(2, "Ana", of: own, .seen, after: 5)) == [comes])
    let declines = receipt(2, "Ana", of: own, .seen, reason: "they said that they can't come", after: 9)
    #expect(try shown(declines) == [declines])
  }

  @Test(arguments: ["they have not confirmed that they still come", "the contact's number was changed"])
  func `show an answer, whatever the server says of another one later`(reason: String) throws {
    let comes = receipt(1, "Ana", of: other, .acknowledged, reason: "on the way")
    #expect(try shown(comes, receipt(2, "Ana", of: own, .seen, reason: reason, after: 5)) == [comes])
  }

  @Test func `show of a contact with a new number what they were sent, not the one before`() throws {
    let left = receipt(1, "Ana", of: own, .sent, reason: Receipt.numberChangedReason, after: 5)
    #expect(try shown(left) == [left])
    let queued = receipt(2, "Ana", of: own, .queued)
    #expect(try shown(queued) == [queued])
  }

  @Test func `say that nobody is told only if that holds for all of them`() throws {
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    #expect(try shown(receipt(1, "Ana", of: other, .failed), receipt(2, "Ana", of: own, .sent)).map(\.state) == [.sent])
    #expect(try store.status().nobodyIsTold == nil)
  }

  @Test func `do not count a drill beside an alert`() throws {
    let time = device.now.wall
    let drill = Alert(id: AlertID(versionSevenAt: time, random: (9, 9)), startedAt: time, isDrill: true)
    try store.exchange(.routine, changes: [.alert(.of(drill, ordinal: 3))], at: device.now)
    #expect(try store.status().otherActive.map(\.alert) == [own])
  }
}
