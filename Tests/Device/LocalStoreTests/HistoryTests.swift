import LocalStore
import Model
import Testing
import Wire

@Suite struct `The history` {
  let device: Device
  let store: LocalStore

  init() throws {
    device = Device()
    store = try device.open()
  }

  private func pulledAlert(_ number: Int64) -> Change {
    let time = Timestamp(milliseconds: 1_000_000 - number)
    let alert = Alert(
      id: AlertID(versionSevenAt: time, random: (UInt64(number), UInt64(number))), startedAt: time, endedAt: time)
    return .alert(AlertRecord(alert: alert, ordinal: number, receivedAt: time, endReceivedAt: time))
  }

  @Test func `has the server's order, with alerts unknown to the server on top`() throws {
    try store.exchange(.routine, changes: [pulledAlert(2), pulledAlert(1), pulledAlert(3)], at: device.now)
    let new = try store.activateAlert(AlertDraft(), at: device.now).alert
    let entries = try store.history(limit: 10, before: nil).entries
    #expect(entries.first?.alert == new)
    #expect(entries.dropFirst().map(\.alert.startedAt.milliseconds) == [999_997, 999_998, 999_999])
  }

  @Test func `comes in pages that do not move when an alert is added`() throws {
    try store.exchange(.routine, changes: (1...25).map(pulledAlert), at: device.now)
    let first = try store.history(limit: 10, before: nil)
    #expect(first.entries.count == 10)
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let second = try store.history(limit: 10, before: first.next)
    let third = try store.history(limit: 10, before: second.next)
    #expect(third.next == nil)
    let times = (first.entries + second.entries + third.entries).map(\.alert.startedAt.milliseconds)
    #expect(times == (1...25).reversed().map { 1_000_000 - $0 })
  }

  @Test func `can end with a full page`() throws {
    try store.exchange(.routine, changes: (1...20).map(pulledAlert), at: device.now)
    let first = try store.history(limit: 10, before: nil)
    #expect(try store.history(limit: 10, before: first.next).next == nil)
    #expect(try store.history(limit: 0, before: nil).entries.count == 1)
  }

  @Test func `begins with the spooled alerts, page by page`() throws {
    try store.exchange(.routine, changes: [pulledAlert(1)], at: device.now)
    let spooled = try Spool.write(AlertDraft(), home: device.home, random: device.options.random, at: device.now)
    let first = try store.history(limit: 1, before: nil)
    #expect(first.entries.map(\.alert) == [spooled])
    let second = try store.history(limit: 1, before: first.next)
    #expect(second.entries.map(\.alert.startedAt.milliseconds) == [999_999])
    #expect(second.next == nil)
    #expect(try store.history(limit: 10, before: nil).entries.count == 2)
    store.takeInSpool(at: device.now)
    #expect(try store.history(limit: 10, before: nil).entries.map(\.alert).first == spooled)
    #expect(try store.history(limit: 10, before: nil).entries.count == 2)
  }
}
