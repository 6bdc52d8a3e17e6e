import LocalStore
import Model
import SQLiteKit
import Schema
import Testing
import Wire

/// Alerts of others, as the device keeps them and answers them.
@Suite struct `The inbox of the device` {
  private let device = Device()
  private let store: LocalStore
  private let id = InboxID.number(1)

  init() throws {
    store = try device.open()
    try store.signIn(.of(1), at: device.now)
  }

  private func tell(_ alerts: InboxAlert..., cursor: String = "c1") throws {
    try store.exchange(.routine, changes: alerts.map { .inbox($0.id, $0) }, cursor: cursor, at: device.now)
  }

  private func refuse(_ code: String, _ message: String? = nil) throws -> AppliedExchange {
    let batch = try store.nextBatch(.all(.routine))
    var answer = SyncResponse.refusing(batch, code: code)
    answer.results[0].message = message
    return try store.apply(answer, to: batch, at: device.now)
  }

  private func entry(_ id: InboxID? = nil) throws -> InboxEntry {
    try #require(try store.inboxEntry(id ?? self.id))
  }

  private func kinds() throws -> [String] { try store.queue().map(\.kind) }

  @Test func `shows what the server tells, active alerts first and the newest first, until it takes it away`() throws {
    try tell(.number(1), .number(2, endedAfter: 60), .number(3), .number(4, endedAfter: 60))
    #expect(try store.inbox().map(\.id) == [3, 1, 4, 2].map { .number($0) })
    #expect(try store.inbox(limit: 1).map(\.id) == [.number(3)])
    var updated = InboxAlert.number(1)
    updated.message = "in the hut"
    updated.comers = ["Ana"]
    updated.noContactSince = updated.startedAt.advanced(byMilliseconds: 90_000)
    try tell(updated)
    #expect(try entry() == InboxEntry(alert: updated))
    try store.exchange(.routine, changes: [.inbox(id, nil)], at: device.now)
    #expect(try store.inboxEntry(id) == nil && store.inbox().count == 3)
  }

  @Test func `says whether an alert is active in it`() throws {
    #expect(try !store.syncState().hasActiveInboxAlert)
    try tell(.number(1), .number(2, endedAfter: 60))
    #expect(try store.syncState().hasActiveInboxAlert)
    try tell(.number(1, endedAfter: 60), cursor: "c2")
    #expect(try !store.syncState().hasActiveInboxAlert)
    #expect(try !store.syncState().hasActiveAlert)
  }

  @Test func `takes an answer without a network, durably, and sends it`() throws {
    try tell(.number(1))
    let saved = try store.answer(id, InboxAnswer(.onMyWay, text: "20 min"), at: device.now)
    #expect(saved.waiting == InboxAnswer(.onMyWay, text: "20 min"))
    store.close()
    let reopened = try device.open()
    #expect(try reopened.inboxEntry(id) == saved)
    #expect(try UnsentCounts(reopened.queue()).text == "1 answer")
    let batch = try reopened.nextBatch(.all(.routine))
    #expect(batch.mutations.map(\.kind) == [.answerInbox] && batch.mutations[0].entityID == EntityID(id))
    #expect(batch.mutations[0].body == "{\"answer\":\"on_my_way\",\"text\":\"20 min\"}")
    try reopened.apply(.accepting(batch), to: batch, at: device.now).expect(pushed: 1)
    let sent = try #require(try reopened.inboxEntry(id))
    #expect(sent.waiting == nil && sent.answer == saved.waiting && sent.alert.response?.at == SyncResponse.serverTime)
    #expect(try reopened.queue().isEmpty)
  }

  @Test
  func `sends with an answer how long ago it was given, whatever the wall clock says, and not after another boot`()
    throws
  {
    try tell(.number(1))
    var given = device.now
    given.boot = "a"
    try store.answer(id, InboxAnswer(.onMyWay), at: given)
    var sent = given
    sent.wall = given.wall.advanced(byMilliseconds: -3_600_000)
    sent.monotonicMilliseconds += 90_000
    let batch = try store.nextBatch(.all(.routine))
    #expect(try store.ages(of: batch, at: sent).map(\.milliseconds) == [90_000])
    try store.answer(id, InboxAnswer(.there), at: Moment(wall: given.wall, monotonicMilliseconds: 7, boot: "b"))
    sent.boot = "b"
    sent.monotonicMilliseconds = 1007
    let both = try store.nextBatch(.all(.routine))
    #expect(try store.ages(of: both, at: sent).map(\.milliseconds) == [1000])
  }

  @Test func `sends each answer in order, and shows the newest`() throws {
    try tell(.number(1))
    try store.answer(id, InboxAnswer(.onMyWay), at: device.now)
    let first = try store.nextBatch(.all(.routine))
    try store.answer(id, InboxAnswer(.cannot), at: device.now)
    #expect(try entry().answer == InboxAnswer(.cannot))
    _ = try store.apply(.accepting(first), to: first, at: device.now)
    #expect(try entry().answer == InboxAnswer(.cannot) && entry().alert.response?.answer == InboxAnswer(.onMyWay))
    try store.exchange(.routine, at: device.now)
    #expect(try entry().waiting == nil && entry().answer == InboxAnswer(.cannot))
  }

  @Test func `believes what another device answered since, over the repeat of an older answer`() throws {
    try tell(.number(1))
    try store.answer(id, InboxAnswer(.onMyWay), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    var other = InboxAlert.number(1)
    other.response = InboxAlert.Response(InboxAnswer(.there), at: SyncResponse.serverTime)
    var pull = batch
    pull.mutations = []
    _ = try store.apply(.accepting(pull, changes: [.inbox(id, other)]), to: pull, at: device.now)
    var repeated = SyncResponse.accepting(batch)
    repeated.results[0].status = .duplicate
    var sent = batch
    sent.cursor = "c1"
    _ = try store.apply(repeated, to: sent, at: device.now)
    #expect(try entry().waiting == nil && entry().answer == InboxAnswer(.there))
    #expect(try store.queue().isEmpty)
  }

  @Test(arguments: [
    (ItemResult.alertEnded, "the alert had ended before the answer arrived"),
    (ItemResult.unknownAlert, "the server no longer has this alert"), ("unknown_kind", "no such kind"),
    ("older_answer", "no such kind"),
  ])
  func `keeps why an answer was refused, and parks nothing`(code: String, reason: String) throws {
    try tell(.number(1))
    try store.answer(id, InboxAnswer(.responding), at: device.now)
    let applied = try refuse(code, "no such kind")
    #expect(applied.parked == 0)
    #expect(try entry().refusal == reason && entry().answer == nil)
    #expect(try store.queue().isEmpty && store.status().sync.parked == 0)
    try store.answer(id, InboxAnswer(.there), at: device.now)
    #expect(try entry().refusal == nil)
    try store.exchange(.routine, at: device.now)
    #expect(try entry().refusal == nil && entry().answer == InboxAnswer(.there))
  }

  @Test func `shows what counts beside an answer that is older than one given in another way`() throws {
    var answered = InboxAlert.number(1)
    answered.response = InboxAlert.Response(InboxAnswer(.there), at: SyncResponse.serverTime)
    try tell(answered)
    try store.answer(id, InboxAnswer(.cannot), at: device.now)
    _ = try refuse("older_answer", "you have answered since")
    #expect(try entry() == InboxEntry(alert: answered, refusal: "you have answered since"))
    #expect(try store.queue().isEmpty)
  }

  @Test func `is forgotten 30 days after its end`() throws {
    let day: Int64 = 86_400
    try tell(.number(1), .number(2, endedAfter: -31 * day), .number(3, endedAfter: -29 * day))
    #expect(try store.inbox().map(\.id) == [.number(1), .number(3)])
    // The server tells nobody that it has gone: time alone removes it.
    let batch = try store.nextBatch(.all(.routine))
    let later = SyncResponse(
      results: [], changes: [], cursor: "c2", hasMore: false, epoch: "one",
      serverTime: SyncResponse.serverTime.advanced(byMilliseconds: 2 * day * 1000))
    _ = try store.apply(later, to: batch, at: device.now)
    #expect(try store.inbox().map(\.id) == [id])
  }

  @Test func `does not call a newer answer refused`() throws {
    try tell(.number(1))
    try store.answer(id, InboxAnswer(.responding), at: device.now)
    let batch = try store.nextBatch(.all(.routine))
    try store.answer(id, InboxAnswer(.there), at: device.now)
    _ = try store.apply(.refusing(batch, code: "invalid_body"), to: batch, at: device.now)
    #expect(try entry() == InboxEntry(alert: .number(1), waiting: InboxAnswer(.there)))
  }

  @Test func `takes no answer to an alert that has ended, or that it does not have`() throws {
    try tell(.number(1, endedAfter: 60))
    let ended = #expect(throws: LocalStoreError.self) {
      try store.answer(id, InboxAnswer(.responding), at: device.now)
    }
    #expect(ended?.code == .alertEnded)
    let unknown = #expect(throws: LocalStoreError.self) {
      try store.answer(.number(9), InboxAnswer(.responding), at: device.now)
    }
    #expect(unknown?.code == .notFound)
    #expect(throws: LocalStoreError.self) { try store.noteSeen(.number(9), at: device.now) }
    #expect(try store.queue().isEmpty)
  }

  @Test func `is seen once, and a refusal of that is nobody's concern`() throws {
    try tell(.number(1), .number(2, endedAfter: 60))
    try store.noteSeen(id, at: device.now)
    try store.noteSeen(id, at: device.now)
    try store.noteSeen(.number(2), at: device.now)
    #expect(try kinds() == ["inbox.seen"])
    try store.answer(id, InboxAnswer(.cannot), at: device.now)
    #expect(try UnsentCounts(store.queue()).text == "1 answer")
    _ = try refuse(ItemResult.alertEnded)
    #expect(try kinds() == ["inbox.answer"] && entry().refusal == nil)
    try store.exchange(.routine, changes: [.inbox(id, .number(1))], at: device.now)
    try store.noteSeen(id, at: device.now)
    #expect(try store.queue().isEmpty)
  }

  @Test func `is forgotten where its answer is discarded, but for what the server has`() throws {
    try tell(.number(1))
    try store.answer(id, InboxAnswer(.cannot), at: device.now)
    _ = try store.discard(try #require(store.queue().first).id, at: device.now)
    #expect(try entry() == InboxEntry(alert: .number(1)))
  }

  @Test func `leaves the device with the account, and never meets another`() throws {
    try tell(.number(1))
    try store.answer(id, InboxAnswer(.cannot), at: device.now)
    #expect(throws: LocalStoreError.self) { try store.signOut(discardPending: false) }
    try store.signOut(discardPending: true)
    #expect(try store.inbox().isEmpty && store.queue().isEmpty)
    try store.signIn(.of(1), at: device.now)
    try tell(.number(1))
    try store.signIn(.of(2, phone: "+12025550177"), at: device.now)
    #expect(try store.inbox().isEmpty)
  }

  @Test func `is what a restored server names in a whole pull, and it is offered the answers that it lost`() throws {
    var answered = InboxAlert.number(1)
    answered.response = InboxAlert.Response(InboxAnswer(.onMyWay), at: SyncResponse.serverTime)
    try tell(answered, .number(2))
    try store.exchange(.routine, epoch: "two", cursor: "d1", at: device.now)
    #expect(try store.inbox().count == 2)
    try store.exchange(
      .routine, changes: [.inbox(id, .number(1))], epoch: "two", cursor: "d2", hasMore: true, at: device.now)
    #expect(try store.inbox().count == 2)
    try store.exchange(.routine, epoch: "two", cursor: "d3", at: device.now)
    #expect(try store.inbox().map(\.id) == [id])
    #expect(try kinds().isEmpty && entry().answer == InboxAnswer(.onMyWay))
  }

  @Test func `survives damage elsewhere, and drops what cannot be read for the server to tell again`() throws {
    try tell(.number(1), .number(2))
    try store.noteSeen(id, at: device.now)
    try device.withConnection { connection in
      try connection.execute("UPDATE inbox SET record = '?' WHERE ended_at IS NULL AND seen_at IS NULL")
    }
    #expect(try store.inbox().map(\.id) == [id])
    #expect(try store.syncState().cursor == nil)
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    try device.withConnection { connection in
      try connection.execute(
        "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; UPDATE alerts SET id = '?'")
    }
    #expect(throws: Never.self) { try store.history(limit: 1, before: nil) }
    #expect(try store.inbox().map(\.id) == [id])
  }
}

/// A store of before there was an inbox.
@Suite struct `A store of the fifth version` {
  @Test func `keeps its queue, in order, and takes answers then`() throws {
    let device = Device()
    try device.makeFifthVersion()
    let store = try device.open()
    #expect(try store.queue().map(\.kind) == ["alert.activate", "contact.put", "profile.put"])
    #expect(try store.queue().map(\.attempts) == [3, 0, 0])
    #expect(try store.queue().map(\.parked?.code) == [nil, "invalid_body", nil])
    try store.signIn(.of(1), at: device.now)
    let empty = try store.nextBatch(.all(.routine))
    _ = try store.apply(
      .accepting(empty, changes: [.inbox(.number(1), .number(1))]), to: empty, at: device.now)
    try store.answer(.number(1), InboxAnswer(.cannot), at: device.now)
    #expect(try store.queue().last?.kind == "inbox.answer")
    #expect(try store.check().isEmpty)
  }
}

extension Device {
  /// Makes a store by the first five migrations alone, with three queued items.
  fileprivate func makeFifthVersion() throws {
    try withConnection { connection in
      try Migrator(embedded: { lifesignal_schema_client_migration($0 < 5 ? $0 : -1) }).migrate(connection)
      try connection.execute(
        """
        INSERT INTO sync_state (key, value) VALUES ('device_id', '01975000-0000-7000-8000-00000000000d');
        INSERT INTO alerts (id, list_order, started_at, drill) VALUES ('01975000-0000-7000-8000-00000000000a',
          4611686018427387904, 1790000000000, 0);
        INSERT INTO pending_mutations (sequence, id, entity_id, kind, lane, occurred_at, body, created_at,
          created_monotonic, attempts, parked_at, parked_code)
        VALUES (1, '01975000-0000-7000-8000-000000000001', '01975000-0000-7000-8000-00000000000a', 'alert.activate',
            'emergency', 1790000000000, '{"started_at":"2026-09-21T14:13:20.000Z"}', 1, 1, 3, NULL, NULL),
          (2305843009213693954, '01975000-0000-7000-8000-000000000002', '01975000-0000-7000-8000-00000000000b',
            'contact.put', 'routine', 1790000000000, '{}', 1, 1, 0, 5, 'invalid_body'),
          (2305843009213693955, '01975000-0000-7000-8000-000000000003', '01975000-0000-7000-8000-00000000000c',
            'profile.put', 'routine', 1790000000000, '{"name":"Ana"}', 1, 1, 0, NULL, NULL);
        """)
    }
  }
}

extension InboxID {
  fileprivate static func number(_ number: UInt64) -> InboxID {
    InboxID(versionSevenAt: Timestamp(milliseconds: 1_790_000_000_000), random: (number, number))
  }
}

extension InboxAlert {
  /// Raised `number` seconds after all others began.
  fileprivate static func number(_ number: UInt64, endedAfter seconds: Int64? = nil) -> InboxAlert {
    let start = Timestamp(milliseconds: 1_790_000_000_000 + Int64(number) * 1000)
    return InboxAlert(
      id: .number(number), alertID: AlertID(versionSevenAt: start, random: (number, 7)), phone: "+12025550143",
      name: "Ben", startedAt: start, endedAt: seconds.map { start.advanced(byMilliseconds: $0 * 1000) }, isDrill: false)
  }
}
