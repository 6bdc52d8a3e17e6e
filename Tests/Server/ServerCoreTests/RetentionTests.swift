import Model
import Testing
import Wire

@testable import ServerCore

/// What is kept of an alert after its end, and what devices and responders are answered after that.
@Suite struct `What is kept of an alert` {
  private static let day: Int64 = 86_400
  private let server: AlertsServer
  private let device: AlertsDevice
  private let place: Location

  init() throws {
    server = try AlertsServer {
      $0.retention.alertDays = 60
      $0.authentication.accessTokenLifetimeMilliseconds = 4000 * Self.day * 1000
      $0.authentication.refreshTokenLifetimeMilliseconds = 4000 * Self.day * 1000
    }
    device = try server.signIn("+12025550123")
    place = try Location(latitude: 46.5, longitude: 7.25)
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/hook")])
  }

  private func update(_ alert: AlertID, _ message: String?) -> Mutation {
    device.mutation(
      EntityID(alert), server.now,
      .updateAlert(AlertUpdate(at: server.now, message: message, location: place, isCall: message != nil)))
  }

  private func deliver() throws {
    for attempt in try server.claim() { try server.complete(attempt, .status(200, retryAfter: nil)) }
  }

  private func wait(days: Int64) throws {
    server.advance(seconds: days * Self.day)
    _ = try server.claim()
    while try server.core.removeExpired(limit: 10, at: server.moment(), in: server.store).hasMore {}
  }

  private func stored(_ alert: AlertID) throws -> StoredAlert {
    try #require(try server.store.read { try $0.alert(alert, of: device.account) })
  }

  /// An alert with a call and a place, which has ended.
  private func raiseAndEnd() throws -> AlertID {
    let alert = try device.raise(message: "I fell", location: place)
    try deliver()
    #expect(try device.sync([update(alert, "my leg"), update(alert, nil)]).statuses == [.applied, .applied])
    try deliver()
    try device.end(alert)
    try deliver()
    return alert
  }

  @Test func `its links for 31 days, its places and the rest a day longer than set`() throws {
    var retention = Retention()
    let now = AlertsServer.start
    func days() -> [Int64] { retention.due(at: now).map { now.milliseconds(since: $0.endedBefore) / 86_400_000 } }
    #expect(retention.due(at: now).map(\.part) == [.links, .places])
    #expect(days() == [31, 31])
    (retention.placesDays, retention.alertDays) = (90, 365)
    #expect(days() == [31, 91, 366])
    retention.alertDays = 60
    #expect(days() == [31, 61, 61], "places go with their alert")
    (retention.placesDays, retention.alertDays) = (1, 1)
    #expect(days() == [31, 31, 31], "what a page shows is kept")
  }

  /// About a real one a message always waits; of a drill nobody is told again.
  @Test(arguments: [false, true])
  func `is everything while it is active, however long that lasts`(isDrill: Bool) throws {
    let alert = try device.raise(message: "I fell", location: place, isDrill: isDrill)
    try deliver()
    try device.sync([update(alert, nil)])
    let before = try stored(alert)
    try wait(days: 1000)
    let after = try stored(alert)
    #expect(after.record == before.record && after.forgotten == nil)
    #expect(try device.sync([update(alert, "still here")]).statuses == [.applied])
  }

  @Test func `goes in parts: the places first, the words later, its times never`() throws {
    let alert = try raiseAndEnd()
    let whole = try stored(alert).record
    try wait(days: 30)
    #expect(try stored(alert).record == whole)
    try wait(days: 2)
    let placeless = try stored(alert).record
    #expect(placeless.newestLocation == nil && placeless.newestMessage == "my leg")
    #expect(try device.receipts(alert).count == 3)
    try wait(days: 30)
    let rest = try stored(alert).record
    #expect(rest.newestMessage == nil && rest.newestUpdate == nil && rest.alert.startedAt == whole.alert.startedAt)
    #expect(rest.alert.endedAt == whole.alert.endedAt && rest.endReceivedAt == whole.endReceivedAt)
    #expect(try device.receipts(alert).isEmpty)
  }

  @Test func `leaves the page, and the answers that came in by it, whole for as long as it is shown`() throws {
    let alert = try device.raise(message: "I fell", location: place)
    let attempts = try server.claim()
    let path = try PageScene.pagePath(in: try #require(attempts.first))
    for attempt in attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
    try device.end(alert)
    try deliver()
    func page() -> ServerOutcome { server.send("GET", path) }
    try wait(days: 30)
    #expect(page().status == 200 && page().text.contains("46.5"))
    server.advance(seconds: 3600)
    #expect(page().status == 410)
    try wait(days: 2)
    #expect(page().status == 404)
  }

  @Test func `answers a device that pulls from before, and one that is new`() throws {
    let other = device.another()
    try other.sync()
    let alert = try device.raise(message: "I fell", location: place)
    let epoch = try other.sync().epoch
    #expect(try other.sync().changes.isEmpty)
    try deliver()
    try device.end(alert)
    try deliver()
    let current = try device.sync().cursor
    try wait(days: 70)
    #expect(try device.sync().cursor == current, "a device that knows everything hears nothing")
    // One that last knew it as active learns of its end.
    let later = try other.sync()
    #expect(later.epoch == epoch && !later.hasMore)
    #expect(later.alerts.map(\.alert.isActive) == [false])
    #expect(later.receipts.isEmpty)
    let first = try device.another().sync()
    #expect(first.epoch == epoch && first.receipts.isEmpty)
    #expect(first.alerts.map(\.alert.message) == [nil] && first.alerts.map(\.alert.isActive) == [false])
    // The log goes on.
    let next = try device.raise()
    #expect(try other.sync().alerts.map(\.alert.id) == [next])
  }

  @Test func `answers every old request that arrives again, and raises and tells nothing`() throws {
    let raised = device.activation(message: "I fell", location: place)
    let alert = AlertID(raised.entityID)
    let notice = device.notification(.activated, alert)
    try device.sync([raised], [notice])
    try deliver()
    let (call, moved) = (update(alert, "my leg"), update(alert, nil))
    try device.sync([call, moved])
    try deliver()
    let (end, over) = (device.deactivation(alert), device.notification(.deactivated, alert))
    try device.sync([end], [over])
    try deliver()
    try wait(days: 70)
    #expect(try device.sync([raised], [notice]).statuses == [.duplicate, .duplicate])
    #expect(try device.sync([call]).statuses == [.duplicate], "else the device would raise it as an alert of its own")
    let answer = try device.sync([moved])
    #expect(answer.codes == [ItemResult.alertEnded] && answer.results.first?.endedAt != nil, "the device drops it")
    #expect(try device.sync([end], [over]).statuses == [.duplicate, .duplicate])
    #expect(try server.claim().isEmpty)
    #expect(try stored(alert).record.alert.isActive == false)
  }

  @Test func `answers what another device of the person only sends now, and tells nobody`() throws {
    let alert = try raiseAndEnd()
    try wait(days: 70)
    let other = device.another()
    // It did not know of the end.
    let place = try other.sync([update(alert, nil)])
    #expect(place.codes == [ItemResult.alertEnded])
    // A person who calls for help again is heard: the device makes an alert of its own of this.
    let call = try other.sync([update(alert, "help")])
    #expect(call.codes == [ItemResult.alertEnded] && call.results.first?.endedAt != nil)
    let end = try other.sync([device.deactivation(alert)], [device.notification(.deactivated, alert)])
    #expect(end.statuses == [.applied, .applied])
    // A device that was restored from a copy offers its history again.
    let again = try other.sync([device.activation(alert)], [device.notification(.activated, alert)])
    #expect(again.statuses == [.applied, .applied] && again.results.first?.endedAt != nil)
    #expect(try server.claim().isEmpty, "nobody is told of it again")
    #expect(try stored(alert).record.alert.isActive == false)
    #expect(try device.receipts(alert).isEmpty)
    // A new press is an alert like any other.
    let next = try other.raise(message: "help")
    #expect(try server.claim().map(\.target.alert) == [next])
  }

  @Test func `is still told where its end arrives late: the time counts from when the server heard of it`() throws {
    let raised = device.activation(message: "I fell")
    let alert = AlertID(raised.entityID)
    server.advance(seconds: 100 * Self.day)
    let end = device.deactivation(alert, endedAt: raised.occurredAt)
    try device.sync([raised, end], [device.notification(.activated, alert), device.notification(.deactivated, alert)])
    try server.postToInboxes()
    while try server.core.removeExpired(limit: 10, at: server.moment(), in: server.store).hasMore {}
    #expect(try server.claim().map(\.target.alert) == [alert])
    #expect(try stored(alert).record.alert.message == "I fell")
  }

  @Test func `is not sent again by an operator when its page is gone`() throws {
    let alert = try device.raise()
    for attempt in try server.claim() { try server.complete(attempt, .status(404, retryAfter: nil)) }
    try device.end(alert)
    server.advance(seconds: 3 * Self.day)
    for _ in 1...60 {
      server.advance(seconds: 3600)
      for attempt in try server.claim() { try server.complete(attempt, .status(404, retryAfter: nil)) }
    }
    let failed = try #require(try device.receipts(alert).first { $0.state == .failed })
    try wait(days: 32)
    let id = DeliveryID(EntityID(failed.id))
    #expect(try server.core.replay(id, at: server.moment(), in: server.store) == false)
  }

  @Test func `is told in numbers alone`() throws {
    _ = try raiseAndEnd()
    server.advance(seconds: 70 * Self.day)
    var removed = RemovedRows()
    repeat {
      removed.hasMore = false
      removed.add(try server.core.removeExpired(limit: 10, at: server.moment(), in: server.store))
    } while removed.hasMore
    #expect(removed.alerts == [.links: 1, .places: 1, .content: 1] && removed.forgotten > 6)
  }
}
