import LocalStore
import Model
import SyncEngine
import Testing
import Wire

@Suite struct CoordinatorTests {
  static let once = SyncMode.once(deadlineMilliseconds: 60_000)
  static let html = HTTPAnswer(
    status: 404, headers: ["content-type": "text/html"], body: Array("<html>not here</html>".utf8))

  @Test func `an alert and its notification reach the server in one exchange`() throws {
    let device = try TestDevice(Self.once)
    try device.raise("help")
    device.tell(.start)
    #expect(device.syncs.count == 1)
    #expect(device.reports.map(\.error) == [nil])
    #expect(try device.store.pendingCount() == 0)
    #expect(try device.store.status().stage == .accepted)
    #expect(device.server.effects.count == 2)
    #expect(device.reports.first?.pushed == 2)
  }

  @Test func `an answer lost after the server committed leads to exactly one effect`() throws {
    let device = try TestDevice()
    try device.raise()
    var losses = 3
    device.fate = { _ in
      losses -= 1
      return losses >= 0 ? .answerLost : .arrives
    }
    device.tell(.start)
    try device.passUntilSent()
    #expect(try device.store.pendingCount() == 0)
    #expect(device.server.effects.count == 2)
    #expect(try device.store.status().stage == .accepted)
  }

  @Test func `with the server down a single run ends with the error and an intact queue`() throws {
    let device = try TestDevice(Self.once)
    try device.raise()
    let before = try device.store.queue()
    device.fate = { _ in .fails(.cannotConnect) }
    device.tell(.start)
    let report = try #require(device.reports.first)
    #expect(report.error?.kind == .offline)
    #expect(report.pending == before.count)
    let after = try device.store.queue()
    #expect(after.map(\.id) == before.map(\.id))
    #expect(after.map(\.body) == before.map(\.body))
    #expect(after.allSatisfy { $0.attempts == 1 && $0.parked == nil && $0.nextAttemptAt != nil })
  }

  @Test func `a poison item parks only itself`() throws {
    let device = try TestDevice(Self.once)
    let contacts = try (0..<40).map { try device.addContact("Contact \($0)") }
    let poisoned = contacts[17]
    device.server.poison = [EntityID(poisoned.id)]
    device.tell(.start)
    let left = try device.store.queue()
    #expect(left.map(\.entityID) == [EntityID(poisoned.id)])
    #expect(left.first?.parked?.code == "malformed-request")
    #expect(device.server.effects.count == 39)
    #expect(device.reports.first?.parked == 1)
    #expect(device.reports.first?.pending == 0)
    #expect(device.reports.first?.error == nil)
  }

  @Test func `an item rejected by itself is parked, and blocks only its own entity`() throws {
    let device = try TestDevice(Self.once)
    let first = try device.addContact("One")
    _ = try device.store.removeContact(first.id, at: device.moment)
    try device.addContact("Two")
    device.server.rejects = [EntityID(first.id)]
    device.tell(.start)
    let left = try device.store.queue()
    #expect(left.count == 2)
    #expect(left.allSatisfy { $0.entityID == EntityID(first.id) })
    #expect(left.filter { $0.parked != nil }.count == 1)
    #expect(device.reports.count == 1)
    #expect(device.server.effects.count == 1)
  }

  @Test func `when the server rejects every request as malformed, nothing is parked`() throws {
    let device = try TestDevice()
    try device.raise()
    device.fate = { [server = device.server] _ in .answered(server.problem(.malformedRequest)) }
    device.tell(.start)
    device.passToWake(50)
    #expect(try device.store.queue().allSatisfy { $0.parked == nil })
    device.fate = { _ in .arrives }
    try device.passUntilSent()
    #expect(try device.store.pendingCount() == 0)
  }

  @Test func `a proxy's 413 halves the batches, and all arrive`() throws {
    let device = try TestDevice(Self.once)
    for index in 0..<100 { try device.addContact("Contact \(index)") }
    device.server.proxyBound = 7
    device.tell(.start)
    #expect(device.server.effects.count == 100)
    #expect(try device.store.pendingCount() == 0)
    #expect(device.syncs.count < 40)
  }

  @Test func `foreign answers of every kind lose nothing, and are shown as such`() throws {
    let device = try TestDevice()
    try device.raise()
    try device.addContact("One")
    let answers = [
      Self.html, HTTPAnswer(status: 200, headers: [:], body: []),
      HTTPAnswer(status: 200, headers: [:], body: Array("{}".utf8)),
      HTTPAnswer(status: 403, headers: [:], body: []), HTTPAnswer(status: 401, headers: [:], body: []),
      HTTPAnswer(status: 410, headers: [:], body: []), HTTPAnswer(status: 302, headers: ["location": "x"], body: []),
    ]
    var asked = 0
    device.fate = { _ in
      asked += 1
      return .answered(answers[asked % answers.count])
    }
    let before = try device.store.queue().map(\.id)
    device.tell(.start)
    device.passToWake(60)
    #expect(asked > 20)
    #expect(try device.store.queue().map(\.id) == before)
    #expect(try device.store.queue().allSatisfy { $0.parked == nil })
    #expect(try device.store.status().sync.lastErrorKind == "not_our_server")
    #expect(try device.store.session()?.isExpired == false)
    device.fate = { _ in .arrives }
    try device.passUntilSent()
    #expect(try device.store.pendingCount() == 0)
  }

  @Test func `a server that returns no results is not asked in a loop`() throws {
    let device = try TestDevice()
    try device.raise()
    device.server.isMute = true
    device.tell(.start)
    #expect(device.syncs.count == 1)
    #expect(try device.store.pendingCount() == 2)
  }

  @Test func `401 refreshes once, and does not count as an attempt`() throws {
    let device = try TestDevice(Self.once)
    try device.addContact("One")
    device.server.accessToken = "access-other"
    var attempts: [Int] = []
    device.fate = { [store = device.store] _ in
      attempts += (try? store.queue().map(\.attempts)) ?? [-1]
      return .arrives
    }
    device.tell(.start)
    #expect(device.paths == [Route.sync, Route.tokens, Route.sync])
    #expect(attempts.allSatisfy { $0 == 0 })
    #expect(device.reports.first?.error == nil)
    #expect(try device.store.session()?.refreshToken == "refresh-2")
  }

  @Test func `a refresh whose answer was lost is repeated with the same token`() throws {
    let device = try TestDevice()
    try device.addContact("One")
    device.server.accessToken = "access-other"
    var refreshes = 0
    device.fate = { request in
      guard request.url.hasSuffix(Route.tokens) else { return .arrives }
      refreshes += 1
      return refreshes < 4 ? .answerLost : .arrives
    }
    device.tell(.start)
    try device.passUntilSent()
    #expect(refreshes == 4)
    #expect(try device.store.pendingCount() == 0)
    #expect(try device.store.session()?.isExpired == false)
  }

  @Test func `with an expired session the alert is sent with the alert key`() throws {
    let device = try TestDevice(Self.once)
    try device.addContact("One")
    try device.raise()
    device.server.accessToken = "access-other"
    device.server.refreshToken = "refresh-other"
    device.tell(.start)
    #expect(device.bearers.contains("Bearer alert-key"))
    #expect(try device.store.session()?.isExpired == true)
    #expect(try device.store.status().stage == .accepted)
    #expect(try device.store.queue().map(\.kind) == ["contact.put"])
    #expect(device.reports.first?.error?.kind == .unauthorized)
  }

  /// A wrong DNS answer leads to a server that knows nobody, and is gone again.
  @Test func `a server that does not know the device ends no session for good`() throws {
    let device = try TestDevice()
    device.tell(.start)
    let alert = try device.raise()
    device.server.knowsNobody = true
    device.tell(.localWork)
    device.passToWake(40)
    try device.addContact("One")
    device.tell(.localWork)
    device.passToWake(40)
    #expect(try device.store.session()?.isExpired == true && device.store.session()?.isRevoked == false)
    #expect(try device.store.status().stage == .saved)
    device.server.knowsNobody = false
    try device.passUntilSent()
    #expect(try device.store.session()?.isExpired == false)
    #expect(try device.store.status().alert?.id == alert.id && device.store.status().stage == .accepted)
    #expect(try device.store.pendingCount() == 0 && device.store.status().sync.signedIn)
  }

  @Test func `without a sign-in nothing is sent and nothing changes`() throws {
    let device = try TestDevice(Self.once, isSignedIn: false)
    try device.raise()
    let before = try device.store.queue()
    device.tell(.start)
    #expect(device.requests.isEmpty)
    #expect(device.reports.first?.error?.kind == .notSignedIn)
    #expect(try device.store.queue() == before)
  }

  @Test func `a restored server is offered again what it no longer has`() throws {
    let device = try TestDevice()
    try device.addContact("One")
    let alert = try device.raise()
    device.tell(.start)
    device.openStreams()
    #expect(try device.store.pendingCount() == 0)
    device.server.restoreEmpty()
    for id in device.streams { device.tell(.stream(id, .change)) }
    try device.passUntilSent()
    #expect(try device.store.pendingCount() == 0)
    #expect(try device.store.syncState().epoch == "e2")
    let names = device.server.changes.compactMap { change in
      if case .contact(_, let record) = change { record?.details.name } else { nil }
    }
    #expect(names == ["One"])
    let isNamed = device.server.changes.contains { change in
      if case .alert(let record) = change { record.alert.id == alert.id } else { false }
    }
    #expect(isNamed)
  }

  @Test func `in an emergency the second endpoint takes over`() throws {
    let device = try TestDevice(second: "https://two.example/")
    try device.raise()
    device.fate = { $0.url.hasPrefix("https://one.example") ? .fails(.cannotConnect) : .arrives }
    device.tell(.start)
    try device.passUntilSent()
    #expect(try device.store.pendingCount() == 0)
    #expect(device.syncs.prefix(3).map(\.url).last == "https://two.example/v1/sync")
  }

  @Test(arguments: [365 * 86_400_000, -365 * 86_400_000] as [Int64])
  func `a wall clock that jumps by a year delays nothing`(jump: Int64) throws {
    let device = try TestDevice()
    try device.raise()
    device.fate = { _ in .fails(.cannotConnect) }
    device.tell(.start)
    device.passToWake(6)
    device.wall += jump
    device.fate = { _ in .arrives }
    let jumpedAt = device.now
    try device.passUntilSent()
    #expect(try device.store.pendingCount() == 0)
    #expect(device.now - jumpedAt < 35_000)
    // The offset is measured again.
    let offset = try #require(try device.store.syncState().serverOffsetMilliseconds)
    #expect(abs(offset - (device.server.time.milliseconds - device.wall)) <= 20)
  }

  @Test(arguments: [365 * 86_400_000, -365 * 86_400_000] as [Int64])
  func `a clock jump delays nothing in the next run either`(jump: Int64) throws {
    let device = try TestDevice()
    try device.addContact("One")
    device.fate = { _ in .fails(.cannotConnect) }
    device.tell(.start)
    device.passToWake(6)
    device.wall += jump
    device.fate = { _ in .arrives }
    device.restart(.continuous)
    device.tell(.start)
    #expect(try device.store.pendingCount() == 0)
  }

  @Test func `a new alert ignores the backoff`() throws {
    let device = try TestDevice()
    try device.raise()
    device.fate = { _ in .fails(.cannotConnect) }
    device.tell(.start)
    device.passToWake(20)
    _ = try device.store.deactivateAlerts(at: device.moment)
    device.fate = { _ in .arrives }
    let queuedAt = device.now
    device.tell(.localWork)
    #expect(try device.store.pendingCount() == 0)
    #expect(device.now - queuedAt <= 60)
  }

  @Test func `a change that the stream announces is fetched at once`() throws {
    let device = try TestDevice()
    device.tell(.start)
    device.openStreams()
    let before = device.syncs.count
    for id in device.streams { device.tell(.stream(id, .change)) }
    #expect(device.syncs.count == before + 1)
    for id in device.streams { device.tell(.stream(id, .heartbeat)) }
    #expect(device.syncs.count == before + 1)
  }

  @Test func `a long backlog is pulled page by page`() throws {
    let device = try TestDevice(Self.once)
    for index in 0..<30 { try device.addContact("Contact \(index)") }
    device.server.pageSize = 7
    device.tell(.start)
    #expect(device.reports.first?.pulled == 30)
    #expect(try device.store.contacts().count == 30)
  }

  @Test func `an answer for one account never reaches another`() throws {
    let device = try TestDevice()
    device.fate = { _ in .hangs }
    device.tell(.start)
    let request = try #require(device.inFlight.first { !$0.isStream })
    try device.store.signOut(discardPending: true)
    device.server.poison = []
    let contact = try ContactDetails(
      name: "Secret", phone: "+12025550101", isResponder: true, isDependent: false, channels: [])
    let response = SyncResponse(
      results: [],
      changes: [
        .contact(
          ContactID(versionSevenAt: device.moment.wall, random: (5, 5)),
          ContactRecord(details: contact, webhookSecret: "whsec_AAAA"))
      ],
      cursor: "e1:1", hasMore: false, epoch: "e1", serverTime: device.server.time)
    device.tell(.answer(request.id, HTTPAnswer(status: 200, headers: [:], body: response.json())))
    #expect(try device.store.contacts().isEmpty)
    #expect(try device.store.syncState().cursor == nil)
  }

  @Test func `a late answer to a cancelled request changes nothing`() throws {
    let device = try TestDevice()
    try device.addContact("One")
    device.fate = { _ in .hangs }
    device.tell(.start)
    let slow = try #require(device.inFlight.first { !$0.isStream })
    try device.raise()
    device.pass(2500)
    device.tell(.localWork)
    #expect(device.cancelled.contains(slow.id))
    device.tell(.answer(slow.id, device.server.answer(slow)))
    #expect(try device.store.pendingCount() == 3)
    device.fate = { _ in .arrives }
    device.deliver()
    #expect(try device.store.pendingCount() == 0)
    #expect(device.server.effects.count == 3)
  }

  @Test func `an unreadable store is reported and retried later, and loses nothing`() throws {
    let device = try TestDevice()
    try device.raise()
    device.store.close()
    device.tell(.start)
    #expect(!device.storeErrors.isEmpty)
    #expect(device.requests.isEmpty)
    let wake = try #require(device.wake)
    #expect(wake > device.now)
    #expect(wake <= device.now + 30_000)
    device.tell(.stop)
    #expect(device.reports.count == 1)
  }

  @Test func `stop cancels the requests in flight and reports the waiting items`() throws {
    let device = try TestDevice()
    try device.raise()
    device.fate = { _ in .hangs }
    device.tell(.start)
    device.tell(.stop)
    #expect(device.inFlight.isEmpty)
    #expect(device.reports.map(\.pending) == [2])
    let counted = device.requests.count
    device.tell(.localWork)
    device.tell(.timer)
    #expect(device.requests.count == counted)
  }

  @Test func `tokens appear in no report, failure or description`() throws {
    let device = try TestDevice()
    try device.raise()
    device.server.accessToken = "other"
    device.fate = { _ in .fails(.protocolError("reset")) }
    device.tell(.start)
    device.tell(.stop)
    let told = "\(device.reports) \(device.requests) \(try device.store.queue())"
    for secret in ["access-1", "refresh-1", "alert-key"] { #expect(!told.contains(secret)) }
  }
}
