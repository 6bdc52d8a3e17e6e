import Model
import Testing
import Wire

@testable import LocalStore

@Suite struct `A batch` {
  let device: Device
  let store: LocalStore

  init() throws {
    device = Device()
    store = try device.open()
  }

  @Test func `of emergencies has no routine item, even if it has room`() throws {
    let before = try store.putContact(nil, .named("Ana"), at: device.now)
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let after = try store.putContact(nil, .named("Ben"), at: device.now)
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.entityID) == [EntityID(alert.id)])
    #expect(batch.notifications.map(\.alertID) == [alert.id])
    try store.apply(.accepting(batch), to: batch, at: device.now).expect(pushed: 2)
    #expect(
      try store.nextBatch(.all(.routine)).mutations.map(\.entityID) == [EntityID(before.id), EntityID(after.id)])
  }

  @Test func `of one alert has its notification request, however many other items wait`() throws {
    for number in 0..<60 { _ = try store.putContact(nil, .named("Responder \(number)"), at: device.now) }
    for isDrill in [true, false] { _ = try store.activateAlert(AlertDraft(isDrill: isDrill), at: device.now) }
    let batch = try store.nextBatch(BatchSelection(lane: .emergency, maximumItems: 1, maximumBytes: 1024))
    #expect(batch.mutations.map(\.kind) == [.activateAlert])
    #expect(batch.notifications.map { EntityID($0.alertID) } == batch.mutations.map(\.entityID))
  }

  @Test func `has requests for alerts that the server has, up to its limit, after the new alert's own request`()
    throws
  {
    for _ in 0..<3 {
      _ = try store.activateAlert(AlertDraft(), at: device.now)
      _ = try store.deactivateAlerts(at: device.now)
    }
    var batch = try store.nextBatch(.all(.emergency))
    batch.notifications = []
    _ = try store.apply(.accepting(batch), to: batch, at: device.now)
    let alert = try store.activateAlert(AlertDraft(), at: device.now).alert
    let next = try store.nextBatch(BatchSelection(lane: .emergency, maximumItems: 2, maximumBytes: 1024))
    #expect(next.mutations.map(\.entityID) == [EntityID(alert.id)])
    #expect(next.notifications.count == 3)
    #expect(next.notifications.first?.alertID == alert.id)
  }

  @Test func `is known before the answer to the one before is applied`() throws {
    for number in 0..<5 { _ = try store.putContact(nil, .named("Contact \(number)"), at: device.now) }
    let two = BatchSelection(lane: .routine, maximumItems: 2, maximumBytes: 1 << 20)
    let first = try store.nextBatch(two)
    #expect(try store.batch(after: first, answeredBy: .accepting(first), two) == nil, "the history is not known")
    try store.apply(.accepting(first), to: first, at: device.now).expect(pushed: 2)
    let second = try store.nextBatch(two)
    let answer = SyncResponse.accepting(second, cursor: "c2", hasMore: true, newestCursor: "c9")
    let guess = try store.batch(after: second, answeredBy: answer, two)
    let applied = try store.apply(answer, to: second, at: device.now)
    #expect(applied.pushed == 2 && applied.hasMore)
    #expect(try guess == store.nextBatch(two) && guess?.mutations.count == 1)
  }

  @Test func `is not known where the answer did not simply take all, and while an alert waits`() throws {
    for number in 0..<3 { _ = try store.putContact(nil, .named("Contact \(number)"), at: device.now) }
    let one = BatchSelection(lane: .routine, maximumItems: 1, maximumBytes: 1 << 20)
    let first = try store.nextBatch(one)
    try store.apply(.accepting(first), to: first, at: device.now).expect(pushed: 1)
    let batch = try store.nextBatch(one)
    #expect(try store.batch(after: batch, answeredBy: .refusing(batch), one) == nil)
    #expect(try store.batch(after: batch, answeredBy: .accepting(batch, epoch: "two"), one) == nil)
    #expect(try store.batch(after: first, answeredBy: .accepting(first), one) == nil, "the cursor has moved")
    #expect(try store.batch(after: batch, answeredBy: .accepting(batch), one) != nil)
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(try store.batch(after: batch, answeredBy: .accepting(batch), one) == nil)
  }

  @Test func `puts an active alert's request before those of drills`() throws {
    for isDrill in [true, true, false] {
      _ = try store.activateAlert(AlertDraft(isDrill: isDrill), at: device.now)
      if isDrill { _ = try store.deactivateAlerts(at: device.now) }
      var batch = try store.nextBatch(.all(.emergency))
      batch.notifications = []
      _ = try store.apply(.accepting(batch), to: batch, at: device.now)
    }
    let alert = try #require(try store.status().alert)
    let next = try store.nextBatch(BatchSelection(lane: .emergency, maximumItems: 2, maximumBytes: 1024))
    #expect(next.notifications.count == 2)
    #expect(next.notifications.first?.alertID == alert.id)
  }

  @Test func `with the alert key has alerts only, and no cursor`() throws {
    try store.exchange(.routine, at: device.now)
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    var selection = BatchSelection.all(.emergency)
    selection.isAlertKeyOnly = true
    let batch = try store.nextBatch(selection)
    #expect(batch.mutations.map(\.kind) == [.activateAlert])
    #expect(batch.cursor == nil)
    _ = try store.apply(.accepting(batch, cursor: "other"), to: batch, at: device.now)
    #expect(try store.syncState().cursor == "c1")
    #expect(try store.queue().map(\.kind) == ["contact.put"])
  }

  @Test func `respects its limits, and has at least one item`() throws {
    for number in 0..<10 { _ = try store.putContact(nil, .named("Responder \(number)"), at: device.now) }
    #expect(
      try store.nextBatch(BatchSelection(lane: .routine, maximumItems: 4, maximumBytes: 100_000)).mutations.count == 4)
    #expect(
      try store.nextBatch(BatchSelection(lane: .routine, maximumItems: 100, maximumBytes: 1)).mutations.count == 1)
    let some = try store.nextBatch(BatchSelection(lane: .routine, maximumItems: 100, maximumBytes: 1500))
    #expect((2...4).contains(some.mutations.count))
  }

  @Test func `has no notification without its alert's mutation`() throws {
    for isDrill in [true, false] { _ = try store.activateAlert(AlertDraft(isDrill: isDrill), at: device.now) }
    let batch = try store.nextBatch(BatchSelection(lane: .emergency, maximumItems: 100, maximumBytes: 1))
    #expect(batch.mutations.count == 1)
    #expect(batch.notifications.map { EntityID($0.alertID) } == batch.mutations.map(\.entityID))
  }

  @Test func `after a failure waits with its lane, while a newer alert does not wait`() throws {
    _ = try store.activateAlert(AlertDraft(isDrill: true), at: device.now)
    let batch = try store.nextBatch(.all(.emergency))
    let moment = device.now
    let next = moment.wall.advanced(byMilliseconds: 20_000)
    try store.recordFailure(
      of: batch, nextAttemptAt: next, error: SyncFailure(.offline, "no network"), at: moment)
    var state = try store.syncState().emergency
    #expect(state.attempts == 1)
    #expect(state.nextAttemptAt == next)
    #expect(try store.queue().allSatisfy { $0.attempts == 1 && $0.nextAttemptAt == next })
    #expect(try store.status().sync.lastErrorKind == "offline")
    #expect(try store.status().sync.nextAttemptAt == next)

    _ = try store.activateAlert(AlertDraft(), at: device.now)
    state = try store.syncState().emergency
    #expect(state.nextAttemptAt == nil)
    #expect(state.attempts == 1)

    try store.exchange(.emergency, at: device.now)
    #expect(try store.syncState().emergency == LaneState())
    #expect(try store.status().sync.lastError == nil)
  }

  @Test func `is counted for the planner only as far as it needs to know`() throws {
    for number in 0..<3 { _ = try store.putContact(nil, .named("Ana \(number)"), at: device.now) }
    #expect(try store.syncState().routine.count == 3)
    try store.file.write { transaction in
      try transaction.run(
        """
        WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 1200)
        INSERT INTO pending_mutations (sequence, id, entity_id, kind, lane, occurred_at, body, created_at, created_monotonic)
        SELECT sequence + i, id, entity_id, kind, lane, occurred_at, body, created_at, created_monotonic
        FROM numbers CROSS JOIN (SELECT * FROM pending_mutations ORDER BY sequence DESC LIMIT 1)
        """)
    }
    #expect(try store.syncState().routine.count == LaneState.countLimit)
    #expect(try store.status().sync.pending == 1203)
    try store.file.write {
      try $0.run("UPDATE pending_mutations SET parked_at = 1, parked_code = 'c' WHERE body LIKE '%Ana 0%'")
    }
    #expect(try store.syncState().routine.count == LaneState.countLimit)
    #expect(try store.syncState().parked == 1)
    #expect(try store.syncState().emergency.count == 0)
  }

  @Test func `can be made due, and still counts its attempts`() throws {
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    try store.recordFailure(
      of: batch, nextAttemptAt: device.now.wall.advanced(byMilliseconds: 60_000),
      error: SyncFailure(.serverError, "500"), at: device.now)
    try store.makeDue(lane: .routine)
    let state = try store.syncState().routine
    #expect(state.nextAttemptAt == nil)
    #expect(state.attempts == 1)
    #expect(try store.queue().first?.nextAttemptAt == nil)
  }
}

extension AppliedExchange {
  func expect(pushed count: Int) {
    #expect(pushed == count)
  }
}
