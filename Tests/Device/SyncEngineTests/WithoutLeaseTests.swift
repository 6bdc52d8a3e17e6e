import LocalStore
import Model
import SyncEngine
import Testing
import Wire

/// Another process holds the sender's lease and may be frozen.
@Suite struct `Without the lease` {
  static let mode = SyncMode.withoutLease(afterMilliseconds: 3000, deadlineMilliseconds: nil)

  @Test func `an alert is sent after its delay, alone, with the alert key and without a refresh`() throws {
    let device = try TestDevice(Self.mode)
    try device.addContact("Ana")
    try device.raise("help")
    device.pass(24 * 3_600_000)
    let start = device.now
    device.tell(.start)
    #expect(device.requests.isEmpty)
    #expect(device.wake == start + 3000)
    device.passToWake()
    #expect(device.bearers == ["Bearer alert-key"])
    #expect(device.paths == [Route.sync])
    #expect(try device.store.status().stage == .accepted)
    #expect(try device.store.queue().map(\.kind) == ["contact.put"])
    #expect(try device.store.syncState().cursor == nil)
    #expect(device.reports.map(\.error) == [nil])
    #expect(device.streams.isEmpty)
  }

  @Test func `nothing is sent if the holder's alert was accepted in time`() throws {
    let device = try TestDevice(Self.mode)
    try device.raise()
    device.tell(.start)
    let batch = try device.store.nextBatch(
      BatchSelection(lane: .emergency, maximumItems: 50, maximumBytes: 65_536))
    let results = (batch.mutations.map(\.id.description) + batch.notifications.map(\.id.description)).map {
      ItemResult(id: $0, status: .applied, appliedAt: device.server.time)
    }
    _ = try device.store.apply(
      SyncResponse(
        results: results, changes: [], cursor: "e1:0", hasMore: false, epoch: "e1", serverTime: device.server.time),
      to: batch, at: device.moment)
    device.passToWake()
    #expect(device.requests.isEmpty)
    #expect(device.reports.map(\.error) == [nil])
  }

  @Test func `nothing is sent without an alert`() throws {
    let device = try TestDevice(Self.mode)
    try device.addContact("Ana")
    device.tell(.start)
    #expect(device.requests.isEmpty)
    #expect(device.reports.map(\.error) == [nil])
  }

  @Test func `it retries with the emergency's backoff until the server has the alert`() throws {
    let device = try TestDevice(Self.mode)
    try device.raise()
    var failures = 6
    device.fate = { _ in
      failures -= 1
      return failures >= 0 ? .fails(.cannotConnect) : .arrives
    }
    device.tell(.start)
    try device.passUntilSent()
    #expect(try device.store.status().stage == .accepted)
    #expect(device.reports.map(\.error) == [nil])
    #expect(device.now < 7_000_000 + 3000 + 6 * 30_000)
  }

  @Test func `with a deadline it ends with the first failure`() throws {
    let device = try TestDevice(.withoutLease(afterMilliseconds: 3000, deadlineMilliseconds: 20_000))
    try device.raise()
    device.fate = { _ in .fails(.cannotConnect) }
    device.tell(.start)
    device.passToWake()
    #expect(device.reports.map(\.error?.kind) == [.offline])
    #expect(try device.store.pendingCount() == 2)
  }

  @Test func `without a sign-in it ends, and reports why`() throws {
    let device = try TestDevice(Self.mode, isSignedIn: false)
    try device.raise()
    device.tell(.start)
    device.passToWake()
    #expect(device.requests.isEmpty)
    #expect(device.reports.map(\.error?.kind) == [.notSignedIn])
  }

  /// The holder has sent, freezes before the answer, and continues when the other process is done.
  @Test(arguments: [false, true])
  func `the holder's late answer changes no newer state`(isEnded: Bool) throws {
    let device = try TestDevice()
    try device.addContact("Ana")
    device.tell(.start)
    try device.passUntilSent()
    let alert = try device.raise("help")
    let holder = device.coordinator
    var sent: [TransportRequest] = []
    for command in holder.handle(.localWork, at: device.moment, jitter: 0.5) {
      if case .send(let request) = command, !request.isStream { sent.append(request) }
    }
    let request = try #require(sent.first)
    let late = device.server.answer(request)
    if isEnded { _ = try device.store.deactivateAlerts(at: device.moment) }
    device.restart(Self.mode)
    device.tell(.start)
    device.passToWake()
    #expect(try device.store.pendingCount() == 0)
    let effects = device.server.effects.count

    device.pass(60_000)
    var commands = holder.handle(.answer(request.id, late), at: device.moment, jitter: 0.5)
    for _ in 0..<10 where !commands.isEmpty {
      let requests = commands.compactMap { if case .send(let request) = $0, !request.isStream { request } else { nil } }
      commands = requests.flatMap {
        holder.handle(.answer($0.id, device.server.answer($0)), at: device.moment, jitter: 0.5)
      }
    }
    #expect(device.server.effects.count == effects, "one effect per id, however many processes send it")
    #expect(try device.store.pendingCount() == 0)
    let status = try device.store.status()
    #expect(status.stage == .accepted)
    #expect(status.alert?.id == alert.id)
    #expect(status.alert?.isActive == !isEnded)
  }
}
