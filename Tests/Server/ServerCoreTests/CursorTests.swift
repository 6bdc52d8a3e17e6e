import Model
import Testing
import Wire

@testable import ServerCore

@Suite struct `Cursors` {
  let server: AlertsServer
  let device: AlertsDevice

  init() throws {
    server = try AlertsServer()
    device = try server.signIn("+12025550123")
  }

  @Test func `pages have every change once, in order`() throws {
    let alerts = (0..<25).map { _ in device.activation() }
    try device.sync(alerts)
    let other = device.another()
    var seen: [Int64] = []
    for page in 1...3 {
      let answer = try other.sync(limit: 10)
      seen += answer.alerts.map(\.ordinal)
      #expect(answer.hasMore == (page < 3))
    }
    #expect(seen == Array(1...25))
    #expect(try other.sync(limit: 10).changes.isEmpty)
  }

  @Test func `a change between pages is sent again, in its current form`() throws {
    let alerts = (0..<4).map { _ in device.activation() }
    try device.sync(alerts)
    let other = device.another()
    _ = try other.sync(limit: 2)
    try device.sync([
      device.deactivation(AlertID(alerts[0].entityID)), device.deactivation(AlertID(alerts[3].entityID)),
    ])
    let rest = try other.sync(limit: 10).alerts
    #expect(rest.map(\.ordinal) == [3, 1, 4])
    #expect(rest.map { $0.alert.isActive } == [true, false, false])
  }

  @Test(arguments: [
    "", "v1", "v1.x.1", "v2.e.1.a", "v1..1.a", "v1.e.-1.a", "v1.e.1.zz", "v1.e.99999999999999999999.a", "💥",
  ])
  func `an invalid cursor starts from the beginning, without a new epoch`(cursor: String) throws {
    try device.sync([device.activation()])
    let epoch = try device.sync().epoch
    var json = JSONWriter()
    json.object {
      $0.member("device_id", device.id.description)
      $0.member("cursor", cursor)
    }
    let answer = try SyncResponse(jsonBytes: server.send("POST", Route.sync, json.bytes, token: device.token).body)
    #expect(answer.alerts.count == 1 && answer.epoch == epoch)
  }

  @Test func `a cursor stays valid when its change was replaced`() throws {
    let alert = device.activation()
    let epoch = try device.sync([alert]).epoch
    let other = device.another()
    try other.sync()
    // The alert's end replaces the change at the other device's cursor.
    try device.sync([device.deactivation(AlertID(alert.entityID))])
    let answer = try other.sync()
    #expect(answer.epoch == epoch && answer.alerts.count == 1)
  }

  @Test func `a restored server behind the cursor starts a new epoch, and devices resend what it lost`()
    throws
  {
    try device.sync([device.activation()])
    let backup = try server.copyOfFiles()
    let lost = device.activation()
    let before = try device.sync([lost])
    try server.restore(backup)

    let answer = try device.sync()
    #expect(answer.epoch != before.epoch)
    #expect(answer.alerts.map(\.ordinal) == [1])
    #expect(try device.sync().epoch == answer.epoch)
    #expect(try device.sync([lost]).statuses == [.applied])
  }

  @Test func `a restored server that continued past the cursor is detected by the tag`() throws {
    try device.sync([device.activation()])
    let backup = try server.copyOfFiles()
    let before = try device.sync([device.activation()])
    try server.restore(backup)
    // Another device advances the sequence to the same number, with other changes.
    let other = device.another()
    #expect(try other.sync([device.activation(), device.activation()]).epoch == before.epoch)

    let answer = try device.sync()
    #expect(answer.epoch != before.epoch)
    #expect(answer.alerts.count == 3)
    #expect(try other.sync().epoch == answer.epoch)
  }

  /// A device on a slow line pulls few changes at a time, so its own changes are beyond its cursor for a long time.
  @Test func `a restored server that lost changes of a device with more pages to read is detected`() throws {
    try device.another().sync((0..<9).map { _ in device.activation() })
    let backup = try server.copyOfFiles()
    let before = try device.sync([device.activation()], limit: 1)
    #expect(before.hasMore && before.newestCursor != nil && before.newestCursor != before.cursor)
    try server.restore(backup)
    let after = try device.sync(limit: 1)
    #expect(after.epoch != before.epoch)
    // After the page there are more changes, all of this device, in each of the following exchanges.
    for _ in 0..<8 { #expect(try device.sync(limit: 1).epoch == after.epoch) }
    let last = try device.sync(limit: 1)
    #expect(!last.hasMore && last.newestCursor == nil && last.epoch == after.epoch)
  }

  @Test func `a restored server that replaced the cursor's change is detected too`() throws {
    try device.sync([device.activation()])
    let backup = try server.copyOfFiles()
    let before = try device.sync([device.activation()])
    try server.restore(backup)
    let again = device.activation()
    let other = device.another()
    try other.sync([again])
    try other.sync([device.deactivation(AlertID(again.entityID))])
    #expect(try device.sync().epoch != before.epoch)
  }

  @Test func `the same calls with the same random seed get the same answers`() throws {
    func run() throws -> [[UInt8]] {
      let server = try AlertsServer()
      let device = try server.signIn("+12025550123")
      let id: EntityID = Identifier(versionSevenAt: AlertsServer.start, random: (1, 1))
      let alert = Mutation(
        id: MutationID(id), entityID: id, occurredAt: AlertsServer.start,
        change: device.activation(startedAt: AlertsServer.start).change)
      return [device.exchange([alert]).body, device.exchange().body]
    }
    #expect(try run() == run())
  }
}
