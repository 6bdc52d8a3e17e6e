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

  @Test func `pages bring every change once, in order`() throws {
    let alerts = (0..<25).map { _ in device.activation() }
    try device.sync(alerts)
    let other = device.another()
    var seen: [Int64] = []
    var pages = 0
    while true {
      let page = try other.sync(limit: 10)
      seen += page.alerts.map(\.ordinal)
      pages += 1
      if !page.hasMore { break }
    }
    #expect(seen == Array(1...25) && pages == 3)
    #expect(try other.sync(limit: 10).changes.isEmpty)
  }

  @Test func `what changes between pages is brought again, as it is now`() throws {
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
  func `a cursor that is none of ours starts from the beginning, without a new epoch`(cursor: String) throws {
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

  @Test func `a cursor stays good when its change was replaced`() throws {
    let alert = device.activation()
    let epoch = try device.sync([alert]).epoch
    let other = device.another()
    try other.sync()
    // The change at the other's cursor is replaced by the alert's end.
    try device.sync([device.deactivation(AlertID(alert.entityID))])
    let answer = try other.sync()
    #expect(answer.epoch == epoch && answer.alerts.count == 1)
  }

  @Test func `a restored server that is behind the cursor begins a new epoch, and devices bring back what it lost`()
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

  @Test func `a restored server that went on past the cursor is noticed by the tag`() throws {
    try device.sync([device.activation()])
    let backup = try server.copyOfFiles()
    let before = try device.sync([device.activation()])
    try server.restore(backup)
    // Another device brings the sequence to where it was, with other content.
    let other = device.another()
    #expect(try other.sync([device.activation(), device.activation()]).epoch == before.epoch)

    let answer = try device.sync()
    #expect(answer.epoch != before.epoch)
    #expect(answer.alerts.count == 3)
    #expect(try other.sync().epoch == answer.epoch)
  }

  /// A device on a slow line takes few changes at a time: what it brings is beyond its cursor for long.
  @Test func `a restored server that lost what a device brought before it had heard of all is noticed`() throws {
    try device.another().sync((0..<9).map { _ in device.activation() })
    let backup = try server.copyOfFiles()
    let before = try device.sync([device.activation()], limit: 1)
    #expect(before.hasMore && before.newestCursor != nil && before.newestCursor != before.cursor)
    try server.restore(backup)
    let after = try device.sync(limit: 1)
    #expect(after.epoch != before.epoch)
    // Beyond the page there is more, which is ours: it stays so to the end.
    for _ in 0..<8 { #expect(try device.sync(limit: 1).epoch == after.epoch) }
    let last = try device.sync(limit: 1)
    #expect(!last.hasMore && last.newestCursor == nil && last.epoch == after.epoch)
  }

  @Test func `a restored server that replaced the cursor's change is noticed too`() throws {
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

  @Test func `the same calls with the same randomness give the same answers`() throws {
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
