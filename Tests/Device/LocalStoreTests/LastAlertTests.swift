import Model
import Testing
import Wire

@testable import LocalStore

/// The order in which the server took the alerts is not the order of their ends: a device sends an active alert first.
@Suite struct `The last alert` {
  private let device: Device
  private let store: LocalStore
  private let first: Alert
  private let second: Alert

  /// The first alert was raised and ended without a network, then the second was raised; the server took the second one first.
  init() throws {
    device = Device()
    store = try device.open()
    first = try store.activateAlert(AlertDraft(message: "first"), at: device.now).alert
    let end = try #require(try store.deactivateAlerts(at: device.now).first?.endedAt)
    second = try store.activateAlert(AlertDraft(message: "second"), at: device.now).alert
    try store.exchange(
      .emergency, changes: [.alert(.of(second, ordinal: 1)), .alert(.of(first, ordinal: 2, endedAt: end))],
      at: device.now)
  }

  private func endSecond() throws -> Alert { try #require(try store.deactivateAlerts(at: device.now).first) }

  private func pull(_ alert: Alert, ordinal: Int64, endReceivedAfter milliseconds: Int64) -> Change {
    .alert(
      AlertRecord(
        alert: alert, ordinal: ordinal, receivedAt: SyncResponse.serverTime,
        endReceivedAt: SyncResponse.serverTime.advanced(byMilliseconds: milliseconds)))
  }

  private func history() throws -> [AlertID] { try store.history(limit: 9, before: nil).entries.map(\.alert.id) }

  @Test func `is the one whose end the server does not have yet`() throws {
    #expect(try store.status().alert == second)
    let ended = try endSecond()
    #expect(try store.status().alert == ended)
    #expect(try store.status().isEndUnsent)
  }

  @Test func `is the one that was over last, by the server's clock`() throws {
    let ended = try endSecond()
    try store.exchange(
      .emergency, changes: [pull(ended, ordinal: 1, endReceivedAfter: 60_000)], at: device.now)
    #expect(try store.status().alert == ended)
    #expect(try !store.status().isEndUnsent)
  }

  @Test func `is found though a new server took many older ones after it`() throws {
    let ended = try endSecond()
    let older = (3...30).map { (number: Int64) in
      let time = Timestamp(milliseconds: 1_000_000 + number)
      return pull(
        Alert(
          id: AlertID(versionSevenAt: time, random: (UInt64(number), 1)), startedAt: time,
          endedAt: time), ordinal: number, endReceivedAfter: 0)
    }
    try store.exchange(
      .emergency, changes: older + [pull(ended, ordinal: 1, endReceivedAfter: 60_000)], at: device.now)
    #expect(try store.status().alert == ended)
  }

  @Test func `is not a discarded one that is older`() throws {
    _ = try endSecond()
    try store.exchange(.emergency, at: device.now)
    let discarded = try store.activateAlert(AlertDraft(), at: device.now).alert
    _ = try store.discard(try #require(try store.queue().first).id, at: device.now)
    #expect(try store.status().discarded?.id == discarded.id)
    let third = try store.activateAlert(AlertDraft(), at: device.now).alert
    let end = try #require(try store.deactivateAlerts(at: device.now).first?.endedAt)
    try store.exchange(.emergency, changes: [.alert(.of(third, ordinal: 3, endedAt: end))], at: device.now)
    #expect(try store.status().discarded == nil)
    #expect(try store.status().alert?.id == third.id)
  }

  @Test func `that is active is first in the history, and each alert comes once, page by page`() throws {
    #expect(try history() == [second.id, first.id])
    let time = device.now.wall
    let other = Alert(id: AlertID(versionSevenAt: time, random: (8, 8)), startedAt: time)
    let old = Timestamp(milliseconds: 1)
    let oldest = Alert(id: AlertID(versionSevenAt: old, random: (8, 8)), startedAt: old, endedAt: old)
    try store.exchange(
      .routine, changes: [.alert(.of(other, ordinal: 3)), pull(oldest, ordinal: 4, endReceivedAfter: 0)], at: device.now
    )
    #expect(try history() == [other.id, second.id, oldest.id, first.id])
    var pages: [AlertID] = []
    var page = try store.history(limit: 1, before: nil)
    while let next = page.next {
      pages += page.entries.map(\.alert.id)
      page = try store.history(limit: 1, before: next)
    }
    #expect(pages + page.entries.map(\.alert.id) == [other.id, second.id, oldest.id, first.id])
  }

  @Test func `and the history are read by ranges of indexes, however long the history is`() throws {
    _ = try store.history(limit: 1, before: try store.history(limit: 1, before: nil).next)
    _ = try endSecond()
    _ = try store.status()
    let plans = try store.file.read { try $0.queryPlans() }.filter { $0.sql.contains("FROM alerts") }
    let lists = plans.filter { $0.sql.contains("ORDER BY list_order DESC") || $0.sql.contains("ORDER BY id DESC") }
    #expect(lists.count >= 4)
    for plan in lists where !plan.sql.contains("INDEXED BY alerts_active") {
      #expect(!plan.lines.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
    let page = try #require(lists.first { $0.sql.contains("NOT INDEXED") })
    #expect(page.lines == ["SEARCH alerts USING INTEGER PRIMARY KEY (rowid<?)"])
  }
}
