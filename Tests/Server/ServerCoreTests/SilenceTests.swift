import Model
import Testing
import Wire

@testable import ServerCore

/// What a responder's own devices say while the device of somebody in danger is silent.
@Suite struct `An inbox, when the person's device falls silent` {
  private let server: AlertsServer
  private let person: AlertsDevice
  private let ana: AlertsDevice
  private static let anasPhone = "+12025550199"

  init() throws {
    server = try AlertsServer()
    person = try server.signIn("+12025550123")
    ana = try server.signIn(Self.anasPhone)
    try person.sync([try person.contact(AlertsDevice.identifier(), "Ana", phone: Self.anasPhone)])
  }

  private func inbox(of device: AlertsDevice) throws -> [InboxAlert] {
    let answer = try SyncResponse(jsonBytes: device.another().exchange(sentAt: server.now).body)
    return answer.changes.compactMap { if case .inbox(_, let alert) = $0 { alert } else { nil } }
  }

  /// What Ana's devices say.
  private func silence() throws -> Timestamp? { try #require(try inbox(of: ana).last).noContactSince }

  private func claim() throws -> ClaimedDeliveries {
    try server.core.claimDeliveries(limit: 100, at: server.moment(), in: server.store)
  }

  /// Whether the claim wrote anything into Ana's inbox.
  private func writes() throws -> Bool { try claim().changedAccounts.contains(ana.account) }

  private func nextCheck() throws -> Timestamp? {
    let now = server.moment().now
    return try server.store.read { try $0.outlook(at: now, latest: server.core.latestTimes(at: now)).silence.first }
  }

  private func isDue() throws -> Bool { try server.store.read { try !$0.alertsToPost(limit: 1).isEmpty } }

  /// An alert that stands in Ana's inbox, and of which the responders were asked again once.
  private func raise(isDrill: Bool = false) throws -> AlertID {
    let id = try person.raise(isDrill: isDrill)
    _ = try claim()
    server.advance(seconds: 61)
    _ = try claim()
    return id
  }

  @Test(arguments: [false, true])
  func `says so once, from 90 seconds after the last contact on, as the alert's own page does`(isDrill: Bool) throws {
    let last = server.now
    let id = try raise(isDrill: isDrill)
    server.advance(seconds: 29)
    #expect(try !writes() && silence() == nil)
    server.advance(milliseconds: 1)
    #expect(try server.nextDue() == server.now)
    #expect(try writes() && silence() == last)
    let shown = try JSONDocument(ana.get("\(Route.alerts)/\(id)").body).root.optionalTimestamp("no_contact_since")
    #expect(shown == last)
    server.advance(seconds: 60)
    #expect(try !writes() && silence() == last && nextCheck() == nil)
  }

  @Test func `says nothing while the device speaks, and no exchange writes anything for it`() throws {
    _ = try raise()
    for _ in 1...5 {
      let check = try nextCheck()
      server.advance(seconds: 20)
      let outcome = person.exchange(sentAt: server.now)
      #expect(outcome.status == 200 && !outcome.hasNewDeliveries)
      #expect(try nextCheck() == check && !isDue(), "the exchange leaves the alert as it is")
      #expect(try !writes() && silence() == nil)
    }
    let last = server.now
    server.advance(milliseconds: Supervision.silenceMilliseconds + 1)
    _ = try claim()
    #expect(try silence() == last)
  }

  @Test(arguments: [false, true])
  func `takes it back with the next exchange of that device, and of no other`(usesAlertKey: Bool) throws {
    _ = try raise()
    server.advance(seconds: 30)
    _ = try claim()
    #expect(try silence() != nil)
    _ = person.another().exchange(sentAt: server.now)
    #expect(try !writes() && silence() != nil)
    let outcome = person.exchange(usesAlertKey: usesAlertKey, sentAt: server.now)
    #expect(outcome.hasNewDeliveries, "the delivery loop looks at once")
    #expect(try writes() && silence() == nil)
    let last = server.now
    server.advance(milliseconds: Supervision.silenceMilliseconds + 1)
    #expect(try writes() && silence() == last, "it may fall silent again")
  }

  @Test func `says nothing of it after the end`() throws {
    let id = try raise()
    server.advance(seconds: 30)
    _ = try claim()
    #expect(try silence() != nil)
    try person.another().end(id)
    #expect(try writes() && silence() == nil)
    _ = person.exchange(sentAt: server.now)
    #expect(try !isDue() && nextCheck() == nil)
  }

  @Test func `checks nothing after the end of an alert whose device spoke`() throws {
    let id = try raise()
    #expect(try nextCheck() != nil)
    try person.end(id)
    _ = try claim()
    #expect(try nextCheck() == nil)
  }

  @Test func `of a new account says it at once, and nobody checks before there is an inbox`() throws {
    try person.sync([try person.contact(AlertsDevice.identifier(), "Ben", phone: "+12025550188")])
    try person.sync([person.removal(EntityID(try anasContact()))])
    _ = try person.raise()
    let last = server.now
    _ = try claim()
    #expect(try nextCheck() == nil)
    server.advance(seconds: 600)
    let ben = try server.signIn("+12025550188")
    for _ in 1...2 { _ = try claim() }
    #expect(try inbox(of: ben).map(\.noContactSince) == [last])
  }

  @Test func `is written anew when the silence begins or ends, and not for the next check`() {
    let (account, id): (AccountID, AlertID) = (AlertsDevice.identifier(), AlertsDevice.identifier())
    let alert = Alert(id: id, startedAt: AlertsServer.start)
    let record = AlertRecord(alert: alert, ordinal: 1, receivedAt: AlertsServer.start, endReceivedAt: nil)
    var facts = AccountFacts()
    facts.needs.alerts = [id]
    facts.alerts[id] = StoredAlert(
      account: account, record: record, device: AlertsDevice.identifier(), utcOffsetMinutes: nil,
      notifiedAt: AlertsServer.start)
    func due(since: Timestamp?) -> Set<AlertID> {
      var state = AccountState(account: account, facts: facts)
      state.setSilence(since: since, dueAt: AlertsServer.start.advanced(byMilliseconds: 9), of: id)
      state.noteInboxesDue()
      #expect(state.writeSet().changedAlerts.map(\.id) == [id])
      return state.inboxDue
    }
    #expect(due(since: nil).isEmpty)
    #expect(due(since: AlertsServer.start) == [id])
    facts.alerts[id]?.silentSince = AlertsServer.start
    #expect(due(since: nil) == [id])
  }

  private func anasContact() throws -> ContactID {
    try #require(try server.store.read { try $0.contacts(of: person.account) }.first { $0.details.name == "Ana" }).id
  }

  @Test func `is checked for each of many alerts, a part with each claim`() throws {
    for _ in 0..<40 { _ = try person.raise() }
    for _ in 0..<3 { _ = try claim() }
    let last = server.now
    server.advance(milliseconds: Supervision.silenceMilliseconds + 1)
    func silent() throws -> Int { try inbox(of: ana).count { $0.noContactSince == last } }
    _ = try claim()
    #expect(try (1..<40).contains(silent()))
    #expect(try nextCheck() == server.now && server.nextDue().map { $0 <= server.now } == true)
    _ = try claim()
    #expect(try silent() == 40)
    _ = person.exchange(sentAt: server.now)
    _ = try claim()
    #expect(try silent() == 0, "one exchange takes it back in all of them")
  }

  @Test func `is right again after the server's clock was set back, and nothing is checked in a loop`() throws {
    _ = try raise()
    server.advance(seconds: -3600)
    #expect(try server.nextDue() == server.now)
    _ = try claim()
    #expect(try nextCheck() == server.now.advanced(byMilliseconds: Supervision.silenceMilliseconds + 1))
    _ = person.exchange(sentAt: server.now)
    let last = server.now
    server.advance(milliseconds: Supervision.silenceMilliseconds + 1)
    _ = try claim()
    #expect(try silence() == last)
  }
}
