import ChildPrograms
import Model
import ServerCore
import ServerStoreSQLite
import Testing

@testable import StoreContract

@Suite(.computing) struct `A damaged value` {
  private static let account = "0000000a-0000-7000-8000-000000000001"
  private static let fill = """
    INSERT INTO accounts (id, phone, epoch, created_at) VALUES ('\(account)', '+12025550111', 'a', 0);
    INSERT INTO alerts (account_id, id, ordinal, device_id, started_at, drill, received_at)
      VALUES ('\(account)', '0000000b-0000-7000-8000-000000000001', 1, '0000000c-0000-7000-8000-000000000001', 0, 0, 0);
    INSERT INTO contacts (account_id, id, name, phone, is_responder, is_dependent, channels)
      VALUES ('\(account)', '0000000d-0000-7000-8000-000000000001', 'Ana', '+12025550112', 1, 0, 'https://a.example/');
    INSERT INTO deliveries (id, account_id, alert_id, contact_id, contact_name, notice, channel_url, host,
        state, state_at, told_end, created_at, attempts, refusals, is_leased, is_dropped)
      VALUES ('0000000e-0000-7000-8000-000000000001', '\(account)', '0000000b-0000-7000-8000-000000000001',
        '0000000d-0000-7000-8000-000000000001', 'Ana', 'activated', 'https://a.example/', 'a.example', 'sent',
        0, 0, 0, 1, 0, 0, 0);
    """

  private func read(_ transaction: any ServerTransaction) throws {
    let account = try #require(AccountID(Self.account))
    _ = try transaction.contacts(of: account)
    for alert in try transaction.alerts(of: account, activeOnly: false, before: nil, limit: 10) {
      _ = try transaction.deliveries(of: alert.id, account: account)
    }
  }

  @Test(arguments: [
    "alerts SET id = upper(id)", "alerts SET device_id = replace(device_id, '-', '+')",
    "alerts SET latitude = 4000, longitude = 0", "contacts SET phone = 'Ana'", "contacts SET channels = 'htt'",
    "deliveries SET notice = 'none'", "deliveries SET state = 'none'", "deliveries SET priority = 77",
    "deliveries SET channel_url = 'htt'",
  ]) func `is reported by the read that finds it`(change: String) throws {
    let subject = try EmbeddedStore()
    try subject.file.write { transaction in
      try #require(transaction as? SQLiteServerTransaction).connection.execute(Self.fill)
      try read(transaction)
      try #require(transaction as? SQLiteServerTransaction).connection.execute(
        "PRAGMA ignore_check_constraints = ON; UPDATE \(change); PRAGMA ignore_check_constraints = OFF;")
      let error = #expect(throws: StorageError.self) { try read(transaction) }
      #expect(error?.code == .unreadableValue)
    }
  }
}

/// Two messages are due, and something that the first needs cannot be read.
@Suite(.computing) struct `A message that cannot be read` {
  private let subject: EmbeddedStore
  private let bench: Bench
  private var damaged: DeliveryID { bench.identifier(31) }
  private var other: DeliveryID { bench.identifier(32) }

  private static let damages = [
    "deliveries SET notice = 'none' WHERE contact_name = 'Ana 21'",
    "deliveries SET priority = 77 WHERE contact_name = 'Ana 21'",
    "deliveries SET alert_id = replace(alert_id, '-', '+') WHERE contact_name = 'Ana 21'",
    "alerts SET latitude = 4000 WHERE ordinal = 11",
  ]

  init() throws {
    subject = try EmbeddedStore()
    bench = Bench(subject)
    try bench.addAccounts()
    try bench.write {
      $0.newAlerts = [bench.alert(11), bench.alert(13)]
      $0.newDeliveries = [try bench.delivery(31, about: 11, to: 21), try bench.delivery(32, about: 13, to: 22)]
    }
  }

  private func damage(_ change: String) throws {
    try subject.file.write { transaction in
      try #require(transaction as? SQLiteServerTransaction).connection.execute(
        "PRAGMA ignore_check_constraints = ON; UPDATE \(change); PRAGMA ignore_check_constraints = OFF;")
    }
  }

  private func state(of id: DeliveryID) throws -> String? {
    try subject.file.read { transaction in
      try #require(transaction as? SQLiteServerTransaction).connection.statement(
        "SELECT state FROM deliveries WHERE id = ?"
      ).value(.text(id.description))
    }
  }

  @Test(arguments: [true, false], damages)
  func `fails, and holds up no other`(isBeforeOpening: Bool, change: String) throws {
    // The queue in memory is read once after each opening.
    if !isBeforeOpening { _ = try bench.core().claimDeliveries(limit: 0, at: bench.moment(1), in: subject.store) }
    try damage(change)
    if isBeforeOpening { try subject.reopen() }
    let claimed = try bench.core().claimDeliveries(limit: 9, at: bench.moment(2), in: subject.store)
    #expect(claimed.attempts.map(\.id) == [other])
    #expect(claimed.unreadable == [damaged])
    #expect(try state(of: damaged) == "failed")
    let again = try bench.core().claimDeliveries(limit: 9, at: bench.moment(3), in: subject.store)
    #expect(again.attempts.isEmpty && again.unreadable.isEmpty)
  }

  @Test(arguments: [
    "alerts SET latitude = 4000, longitude = 0 WHERE ordinal = 11",
    "alerts SET asking_phase = 'none' WHERE ordinal = 11",
    "alerts SET id = replace(id, '-', '+') WHERE ordinal = 11", "contacts SET channels = 'htt' WHERE name = 'Ana 21'",
  ]) func `keeps nobody from being asked about another alert`(change: String) throws {
    var alerts = [bench.alert(11), bench.alert(15, of: bench.other)]
    for place in alerts.indices {
      alerts[place].notifiedAt = Bench.now
      alerts[place].asking = Asking(phase: .asking, round: 0, tier: 1, dueAt: bench.after(seconds: 60))
    }
    try bench.write {
      $0.contacts = [try bench.contact(21)]
      $0.changedAlerts = [alerts[0]]
    }
    try bench.write(bench.other) {
      $0.newAlerts = [alerts[1]]
      $0.contacts = [try bench.contact(25)]
    }
    try damage(change)
    let moment = bench.moment(1, at: bench.after(seconds: 60))
    let core = try bench.core()
    let claimed = try core.claimDeliveries(limit: 99, at: moment, in: subject.store)
    #expect(claimed.attempts.contains { $0.target.alert == alerts[1].id })
    let due = try #require(
      try core.nextDeliveryDue(at: bench.moment(2, at: bench.after(seconds: 61)), in: subject.store))
    #expect(due > bench.after(seconds: 61), "it is not tried in a loop")
  }

  @Test(arguments: [
    "alerts SET latitude = 4000, longitude = 0 WHERE ordinal = 11",
    "alerts SET asking_phase = 'none' WHERE ordinal = 11", "alerts SET id = replace(id, '-', '+') WHERE ordinal = 11",
    "device_contacts SET last_contact_at = -9223372036854775808",
  ]) func `keeps nobody from hearing that the device of another alert is silent`(change: String) throws {
    var alerts = [bench.alert(11), bench.alert(15, of: bench.other)]
    for place in alerts.indices {
      alerts[place].notifiedAt = Bench.now
      alerts[place].silenceDueAt = bench.after(seconds: 100 + Int64(place))
    }
    try bench.write {
      $0.changedAlerts = [alerts[0]]
      $0.contact = WriteSet.DeviceContact(device: bench.device, at: Bench.now, deviceLimit: 9, cursorLimit: 9)
    }
    try bench.write(bench.other) { $0.newAlerts = [alerts[1]] }
    try damage(change)
    let moment = bench.moment(1, at: bench.after(seconds: 101))
    let core = try bench.core()
    _ = try core.claimDeliveries(limit: 0, at: moment, in: subject.store)
    let known = try bench.facts(of: bench.other) { $0.alerts = [alerts[1].id] }.alerts[alerts[1].id]
    #expect(known?.silentSince == Bench.now)
    let next = try subject.store.read { try $0.outlook(at: Bench.now, latest: LatestTimes(Bench.now)).silence.first }
    #expect(next.map { $0 > bench.after(seconds: 101) } ?? true, "it is not tried in a loop")
  }

  @Test func `in the call for help by another channel leaves “safe” told, together with the alert`() throws {
    var (help, safe) = (
      try bench.delivery(71, about: 17, to: 21, state: .sent), try bench.delivery(72, about: 17, to: 21)
    )
    help.target.channel = try Channel("mailto:ana@a.example")
    safe.notice = .deactivated
    try bench.write {
      $0.newAlerts = [bench.alert(17, endedAt: Bench.now)]
      $0.contacts = [try bench.contact(21)]
      $0.newDeliveries = [help, safe]
    }
    try damage("deliveries SET channel_url = 'htt' WHERE id = '\(help.id)'")
    let claimed = try bench.core().claimDeliveries(limit: 99, at: bench.moment(1), in: subject.store)
    let attempt = try #require(claimed.attempts.first { $0.id == safe.id })
    #expect(String(decoding: attempt.body, as: UTF8.self).contains("alert.deactivated"))
    #expect(!claimed.unreadable.contains(safe.id))
  }

  @Test func `of a contact leaves a message sent that got through`() throws {
    try bench.write { $0.contacts = [try bench.contact(21)] }
    let core = try bench.core()
    let claimed = try core.claimDeliveries(limit: 99, at: bench.moment(1), in: subject.store).attempts
    let attempt = try #require(claimed.first { $0.target.contact == bench.identifier(21) })
    try damage("contacts SET channels = 'htt' WHERE name = 'Ana 21'")
    _ = try core.completeDelivery(
      DeliveryCompletion(of: attempt, .status(200, retryAfter: nil)), at: bench.moment(2), in: subject.store)
    let state = try subject.store.read { try $0.delivery(attempt.id, of: bench.account) }?.state
    #expect(state == .sent)
  }

  @Test(arguments: [
    "inbox SET record = '{' WHERE account_id = '00000000-0000-7000-8000-000000000002'",
    "inbox_due SET account_id = 'nobody'", "inbox_due SET alert_id = substr(alert_id, 2)",
    "alerts SET latitude = 4000 WHERE ordinal = 13",
  ]) func `in an inbox keeps no message, and no other inbox, from being written`(change: String) throws {
    let (third, alert): (AccountID, AlertID) = (bench.identifier(3), bench.identifier(15))
    var writes = RequestWrites()
    writes.newAccount = AccountRecord(id: third, phone: bench.phone(3), epoch: "epoch 3", createdAt: Bench.now)
    try bench.write(writes)
    var told = bench.alert(15)
    told.notifiedAt = Bench.now
    try bench.write {
      $0.contacts = [try bench.contact(22, phone: bench.phone(2)), try bench.contact(23, phone: bench.phone(3))]
      $0.newAlerts = [told]
      $0.newDeliveries = [try bench.delivery(33, about: 15, to: 22), try bench.delivery(34, about: 15, to: 23)]
      $0.inboxDue = [alert]
    }
    let core = try bench.core()
    #expect(try core.claimDeliveries(limit: 0, at: bench.moment(1), in: subject.store).changedAccounts.contains(third))
    told.record.newestUpdate = NewestUpdate(
      id: bench.identifier(41), update: AlertUpdate(at: Bench.now, message: "more"))
    try bench.write {
      $0.changedAlerts = [told]
      $0.inboxDue = [bench.identifier(13), alert]
    }
    let account = bench.other.description
    try damage(change.replacing("00000000-0000-7000-8000-000000000002", with: account))
    let claimed = try core.claimDeliveries(limit: 9, at: bench.moment(2), in: subject.store)
    #expect(claimed.attempts.contains { $0.target.alert == alert })
    #expect(try subject.store.read { try $0.alertsToPost(limit: 9) }.isEmpty, "it is not tried in a loop")
    if !change.hasPrefix("inbox_due") { #expect(claimed.changedAccounts.contains(third)) }
  }

  @Test(arguments: damages) func `does not keep another's answer from being recorded`(change: String) throws {
    let core = try bench.core()
    let attempts = try core.claimDeliveries(limit: 9, at: bench.moment(1), in: subject.store).attempts
    try #require(attempts.count == 2)
    try damage(change)
    let answers = attempts.map {
      DeliveryCompletion(of: $0, .status(204, retryAfter: nil), afterMilliseconds: 5)
    }
    _ = try subject.store.write { try core.completeDeliveries(answers, at: bench.moment(2), in: $0) }
    #expect(try state(of: other) == "sent")
    #expect(try state(of: damaged) == (change.hasPrefix("alerts") ? "sent" : "failed"))
  }

  /// Two messages to one contact, by different channels, and "safe" behind each.
  private func addPair() throws -> [StoredDelivery] {
    var deliveries: [StoredDelivery] = []
    for number in [51, 52] {
      var help = try bench.delivery(number, about: 17, to: 21)
      help.target.channel = try Channel("https://\(number).example/")
      var safe = help
      safe.id = bench.identifier(number + 10)
      (safe.notice, safe.priority, safe.dueAt) = (.deactivated, .safe, nil)
      deliveries += [help, safe]
    }
    try bench.write {
      $0.newAlerts = [bench.alert(17, endedAt: Bench.now)]
      $0.contacts = [try bench.contact(21)]
      $0.newDeliveries = deliveries
    }
    return deliveries
  }

  @Test(arguments: [DeliveryAnswer.status(200, retryAfter: nil), .status(503, retryAfter: nil)])
  func `leaves another one to the same contact as its own answer says, and "safe" is sent`(
    answer: DeliveryAnswer
  ) throws {
    let pair = try addPair()
    let core = try bench.core()
    let claimed = try core.claimDeliveries(limit: 9, at: bench.moment(1), in: subject.store).attempts
    let attempt = try #require(claimed.first { $0.id == pair[2].id })
    try damage("deliveries SET notice = 'none' WHERE id = '\(pair[0].id)'")
    let completion = DeliveryCompletion(of: attempt, answer)
    _ = try subject.store.write { try core.completeDeliveries([completion], at: bench.moment(2), in: $0) }
    #expect(try state(of: pair[2].id) == (answer.isSuccess ? "sent" : "queued"))
    let next = try core.claimDeliveries(
      limit: 9, at: bench.moment(3, at: bench.after(seconds: 30)), in: subject.store
    ).attempts.map(\.id)
    #expect(next.contains(answer.isSuccess ? pair[3].id : pair[2].id), "\(next)")
  }

  @Test func `leaves the "safe" behind it sent, and recorded as such`() throws {
    let pair = try addPair()
    try damage("deliveries SET notice = 'none' WHERE id = '\(pair[0].id)'")
    let core = try bench.core()
    let claimed = try core.claimDeliveries(limit: 9, at: bench.moment(1), in: subject.store)
    #expect(claimed.unreadable.contains(pair[0].id))
    let next = try core.claimDeliveries(limit: 9, at: bench.moment(2), in: subject.store).attempts
    let safe = try #require((claimed.attempts + next).first { $0.id == pair[1].id })
    #expect(String(decoding: safe.body, as: UTF8.self).contains("alert.deactivated"))
    let completion = DeliveryCompletion(of: safe, .status(200, retryAfter: nil))
    _ = try subject.store.write { try core.completeDeliveries([completion], at: bench.moment(3), in: $0) }
    #expect(try state(of: pair[1].id) == "sent")
  }
}

/// More messages are due than are decided about at once, and one of the last cannot be read.
@Suite(.computing) struct `A message of a crowd that cannot be read` {
  private static let crowd = 100..<250

  private let subject: EmbeddedStore
  private let bench: Bench
  private let core: ServerCore

  init() throws {
    subject = try EmbeddedStore()
    bench = Bench(subject)
    var configuration = ServerConfiguration(publicURL: "https://server.example")
    configuration.deliveries.inFlight.all = 1000
    core = ServerCore(configuration: configuration, keys: try bench.core().keys)
    for number in Self.crowd { try addPerson(number) }
  }

  private func addPerson(_ number: Int) throws {
    let account: AccountID = bench.identifier(number)
    var writes = RequestWrites()
    writes.newAccount = AccountRecord(id: account, phone: "+12025550\(number)", epoch: "a", createdAt: Bench.now)
    var set = WriteSet(account: account)
    set.newAlerts = [bench.alert(1000 + number, of: account)]
    var delivery = try bench.delivery(2000 + number, about: 1000 + number, to: 3000 + number, of: account)
    delivery.target.channel = try Channel("https://\(number).example/")
    set.newDeliveries = [delivery]
    writes.accounts = [set]
    try bench.write(writes)
  }

  private func damage(_ number: Int) throws {
    try subject.file.write { transaction in
      try #require(transaction as? SQLiteServerTransaction).connection.execute(
        """
        PRAGMA ignore_check_constraints = ON;
        UPDATE alerts SET latitude = 4000 WHERE ordinal = \(1000 + number);
        PRAGMA ignore_check_constraints = OFF;
        """)
    }
  }

  private func attempts(_ number: Int) throws -> Int? {
    try subject.file.read { try $0.delivery(bench.identifier(2000 + number), of: bench.identifier(number))?.attempts }
  }

  @Test func `leaves each other one leased once`() throws {
    let damaged = Self.crowd.upperBound - 1
    try damage(damaged)
    let claimed = try core.claimDeliveries(limit: 1000, at: bench.moment(1), in: subject.store)
    #expect(claimed.unreadable == [bench.identifier(2000 + damaged)])
    #expect(claimed.attempts.count == Self.crowd.count - 1)
    #expect(claimed.attempts.allSatisfy { $0.number == 1 })
    for number in Self.crowd where number != damaged { #expect(try attempts(number) == 1) }
  }

  @Test func `leaves each other answer recorded once`() throws {
    let claimed = try core.claimDeliveries(limit: 1000, at: bench.moment(1), in: subject.store)
    #expect(claimed.attempts.count == Self.crowd.count)
    let damaged = Self.crowd.upperBound - 1
    try damage(damaged)
    let answers = claimed.attempts.map {
      DeliveryCompletion(of: $0, .status(404, retryAfter: nil), afterMilliseconds: 1)
    }
    let outcome = try subject.store.write { transaction in
      try core.completeDeliveries(answers, at: bench.moment(2), in: transaction)
    }
    #expect(outcome.observations.count == Self.crowd.count - 1)
    for number in Self.crowd where number != damaged {
      let delivery = try #require(
        try subject.file.read { try $0.delivery(bench.identifier(2000 + number), of: bench.identifier(number)) })
      #expect(delivery.refusals == 1 && !delivery.isLeased)
    }
  }
}
