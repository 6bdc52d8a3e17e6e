import Model
import Testing

@testable import LocalStore

@Suite struct `What waits` {
  @Test func `is counted by alert and contact`() {
    #expect(UnsentCounts().text == "nothing")
    #expect(UnsentCounts(alerts: 1).text == "1 alert")
    #expect(UnsentCounts(alerts: 2, contacts: 1).text == "2 alerts and 1 contact change")
    #expect(UnsentCounts(alerts: 1, contacts: 2, others: 1).text == "1 alert, 2 contact changes and 1 other change")
  }

  /// Each case: what is queued of four entities, and how it counts.
  @Test(arguments: [
    ([("a", "alert.activate"), ("a", "notification.activated"), ("b", "alert.activate")], "2 alerts"),
    ([("a", "place"), ("a", "place"), ("b", "place"), ("b", "alert.deactivate")], "1 alert and 1 place"),
    ([("a", "inbox.seen"), ("b", "inbox.seen"), ("b", "inbox.answer")], "1 answer and 1 other change"),
    ([("a", "contact.put"), ("a", "contact.remove"), ("b", "profile.put")], "1 contact change and 1 name change"),
    ([], "nothing"),
  ])
  func `is counted the same entity by entity`(items: [(String, String)], text: String) {
    var tally = UnsentCounts.Tally()
    for (entity, kind) in items { tally.note(kind, of: entity) }
    tally.finish()
    #expect(tally.counts == UnsentCounts(items.map { (entity: $0.0, kind: $0.1) }))
    #expect(tally.counts.text == text)
  }

  @Test func `is counted without the items, by indexes alone`() throws {
    let device = Device()
    let store = try device.open()
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    _ = try store.updateAlert(AlertNews(batteryPercent: 50), at: device.now)
    _ = try store.deactivateAlerts(at: device.now)
    let alert = try store.activateAlert(AlertDraft(isDrill: true), at: device.now).alert
    let ana = try store.putContact(nil, .named("Ana"), at: device.now)
    _ = try store.putContact(ana.id, .named("Anna"), at: device.now)
    _ = try store.putContact(nil, .named("Ben"), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    _ = try store.apply(.refusing(batch), to: batch, at: device.now)
    let queue = try store.queue()
    #expect(queue.contains { $0.parked != nil } && queue.contains { $0.entityID == EntityID(alert.id) })
    #expect(try store.waitingCounts() == UnsentCounts(queue.filter { $0.parked == nil }))
    #expect(try store.refusedCounts() == UnsentCounts(queue.filter { $0.parked != nil }))
    let plans = try store.file.read { try $0.queryPlans() }.filter { $0.sql.contains("AS is_place") }
    #expect(plans.count == 2)
    for plan in plans { #expect(!plan.lines.contains { $0.contains("TEMP B-TREE") }, "\(plan.sql)") }
  }
}
