import Model
import Testing

@testable import ServerCore

/// Hosts that hang take what they may, and others are served beside them.
@Suite struct `Room for deliveries` {
  private static let start = Timestamp(milliseconds: 1_000_000)
  private var schedule = DeliverySchedule(InFlightLimits(perHost: 4, perAccount: 16))
  private var now = start
  private var count = 0

  private static func account(_ number: Int) -> AccountID {
    AccountID(versionSevenAt: start, random: (1, UInt64(number)))
  }

  /// Queues deliveries of one account.
  private mutating func add(
    _ number: Int = 1, account: Int, host: (Int) -> String, priority: DeliveryPriority = .help, attempts: Int = 0
  ) {
    for index in 0..<number {
      count += 1
      schedule.set(
        DeliverySchedule.Entry(
          id: DeliveryID(versionSevenAt: Self.start, random: (2, UInt64(count))), account: Self.account(account),
          host: host(index), priority: priority, attempts: attempts, dueAt: now, isLeased: false))
    }
  }

  /// Starts what may be started, until nothing may.
  @discardableResult
  private mutating func takeAll() -> [DeliverySchedule.Entry] {
    let taken = schedule.takeDue(at: now, limit: 1000)
    for var entry in taken {
      entry.isLeased = true
      entry.attempts += 1
      entry.dueAt = now.advanced(byMilliseconds: 60_000)
      schedule.set(entry)
    }
    return taken
  }

  private mutating func answer(_ entry: DeliverySchedule.Entry, _ answer: HostAnswer) {
    schedule.note(answer, of: entry.host)
    if answer == .accepted { return schedule.remove(entry.id) }
    var again = entry
    again.attempts += 1
    again.dueAt = now.advanced(byMilliseconds: 1000)
    schedule.set(again)
  }

  @Test mutating func `is kept for the first call of another account, whatever tarpits have taken`() {
    for account in 0..<200 { add(100, account: account, host: { "tarpit\($0).example" }) }
    let taken = takeAll()
    #expect(taken.count == 104, "first calls of accounts may take more than others")
    #expect(Set(taken.map(\.account)).count == 29, "16 each of five, and the first of 24")
    // Where a host has answered there is room for more.
    schedule.note(.accepted, of: "good.example")
    add(account: 1000, host: { _ in "good.example" })
    #expect(takeAll().map(\.account) == [Self.account(1000)])
  }

  @Test mutating func `is kept for the first call to a host that nobody knows, whatever few accounts have taken`() {
    for account in 0..<8 { add(1000, account: account, host: { "tarpit\($0 % 64).example" }) }
    #expect(takeAll().count == 83, "16 each of five, and the first calls of the other three")
    add(account: 1000, host: { _ in "new.example" })
    #expect(takeAll().map(\.host) == ["new.example"])
  }

  @Test mutating func `is left to hosts that answer by those that fail`() {
    for account in 0..<50 { add(10, account: account, host: { "dead\(account)-\($0).example" }, attempts: 3) }
    #expect(takeAll().count == 32)
    schedule.note(.accepted, of: "good.example")
    add(10, account: 1000, host: { _ in "good.example" }, attempts: 3)
    #expect(takeAll().count == 4, "one less than its window: they were tried before")
  }

  @Test mutating func `is kept for what failed once, whatever fails on and on`() {
    for account in 0..<50 { add(10, account: account, host: { "dead\(account)-\($0).example" }, attempts: 3) }
    #expect(takeAll().count == 32)
    schedule.note(.missing, of: "blinks.example")
    add(account: 1000, host: { _ in "blinks.example" }, attempts: 2)
    #expect(takeAll().isEmpty, "what failed twice waits")
    add(account: 1001, host: { _ in "blinks.example" }, attempts: 1)
    #expect(takeAll().map(\.account) == [Self.account(1001)])
    // Those that blinked all together, as behind one router, leave room to others.
    for account in 2000..<2100 { add(account: account, host: { _ in "blinks\(account).example" }, attempts: 1) }
    #expect(takeAll().count == 15)
  }

  @Test mutating func `is kept at a host where others hang for what failed once there`() {
    for account in 0..<40 { add(account: account, host: { _ in "h.example" }, attempts: 3) }
    schedule.note(.missing, of: "h.example")
    #expect(takeAll().count == 1)
    add(account: 1000, host: { _ in "h.example" }, attempts: 1)
    #expect(takeAll().map(\.account) == [Self.account(1000)])
  }

  @Test mutating func `is kept at a host where others hang for the second time for what failed at once`() {
    schedule.note(.missing, of: "h.example")
    for account in 0..<2 { add(account: account, host: { _ in "h.example" }) }
    for entry in takeAll() {
      answer(entry, .missing)
      schedule.noteHung(entry.id)
    }
    now = now.advanced(byMilliseconds: 1000)
    #expect(takeAll().count == 1)
    add(account: 1000, host: { _ in "h.example" }, attempts: 1)
    #expect(takeAll().map(\.account) == [Self.account(1000)])
  }

  @Test mutating func `is kept in all for what failed at once, and then for what hung once`() {
    func add(_ count: Int, from account: Int, attempts: Int, hung: Bool = false) {
      for account in account..<account + count {
        self.add(account: account, host: { _ in "dead\(account).example" }, attempts: attempts)
        if hung { schedule.noteHung(DeliveryID(versionSevenAt: Self.start, random: (2, UInt64(self.count)))) }
      }
    }
    add(100, from: 0, attempts: 3)
    #expect(takeAll().count == 32)
    add(100, from: 1000, attempts: 1, hung: true)
    #expect(takeAll().count == 8)
    add(100, from: 2000, attempts: 1)
    #expect(takeAll().count == 8)
  }

  @Test func `remembers what hung when the queue is read again`() {
    let limits = Self.limits
    let entry = DeliverySchedule.Entry(
      id: DeliveryID(versionSevenAt: Self.start, random: (2, 1)), account: Self.account(1), host: "h.example",
      priority: .help, attempts: 1, dueAt: now, isLeased: false)
    let keeper = ScheduleKeeper()
    keeper.take([entry], limits, dataVersion: 0)
    keeper.note(.hung(entry.id))
    keeper.commit()
    keeper.forget()
    keeper.take([entry], limits, dataVersion: 0)
    #expect(keeper.schedule?.hung == [entry.id])
    var anew = entry
    anew.hasFailed = false
    keeper.note(.set(anew))
    keeper.commit()
    #expect(keeper.schedule?.hung == [])
  }

  /// As where another process wrote meanwhile, or a dead one had leased something.
  @Test(arguments: [false, true])
  func `remembers what the transaction has noted in which the queue is read again`(isForgotten: Bool) {
    let keeper = Self.keeper(of: Self.retries)
    keeper.commit()
    keeper.note(.hung(Self.retries[0].id))
    keeper.note(.answer(.missing, host: "h.example"))
    if isForgotten { keeper.forget() }
    keeper.take(Self.retries, Self.limits, dataVersion: 1)
    #expect(keeper.schedule?.hung == [Self.retries[0].id])
    #expect(keeper.use { $0.takeDue(at: Self.start, limit: 100).count } == 1, "a host that failed has less room")
  }

  @Test func `forgets what was noted in a transaction that is undone`() {
    let keeper = Self.keeper(of: Self.retries)
    keeper.note(.hung(Self.retries[0].id))
    keeper.note(.answer(.missing, host: "h.example"))
    keeper.rollBack()
    keeper.take(Self.retries, Self.limits, dataVersion: 0)
    #expect(keeper.schedule?.hung == [])
    #expect(keeper.use { $0.takeDue(at: Self.start, limit: 100).count } == 3)
  }

  private static let limits = InFlightLimits(perHost: 4, perAccount: 16)

  /// Of several accounts, at one host.
  private static let retries = (1...5).map { number in
    DeliverySchedule.Entry(
      id: DeliveryID(versionSevenAt: start, random: (2, UInt64(number))), account: account(number), host: "h.example",
      priority: .help, attempts: 3, dueAt: start, isLeased: false)
  }

  private static func keeper(of entries: [DeliverySchedule.Entry]) -> ScheduleKeeper {
    let keeper = ScheduleKeeper()
    keeper.take(entries, limits, dataVersion: 0)
    return keeper
  }

  @Test mutating func `is left by an account's own dead hosts to those that answer`() {
    schedule.note(.accepted, of: "good.example")
    add(100, account: 1, host: { "tarpit\($0).example" })
    #expect(takeAll().count == 16)
    add(account: 1, host: { _ in "good.example" })
    #expect(takeAll().map(\.host) == ["good.example"])
  }

  @Test mutating func `grows at a host with each message that it takes promptly, up to a limit`() {
    add(400, account: 1, host: { _ in "h.example" })
    for account in 2..<5 { add(400, account: account, host: { _ in "h.example" }) }
    var underWay = takeAll()
    #expect(underWay.count == 4)
    var most = 0
    for _ in 0..<8 {
      for entry in underWay { answer(entry, .accepted) }
      underWay = takeAll()
      most = max(most, underWay.count)
    }
    #expect(most == 64)
  }

  @Test(arguments: [HostAnswer.missing, .slow, .overloaded])
  mutating func `shrinks at a host that does not answer in time`(answer: HostAnswer) {
    add(40, account: 1, host: { _ in "h.example" })
    let underWay = takeAll()
    #expect(underWay.count == 4)
    for entry in underWay.prefix(2) { self.answer(entry, answer) }
    // Two are still running, and the window is two.
    #expect(takeAll().isEmpty)
    for account in 10..<20 { add(account: account, host: { _ in "h.example" }) }
    #expect(takeAll().count == 6, "calls of accounts that have nothing under way there: four times the window")
  }

  @Test mutating func `stays as it is at a host that refuses`() {
    add(20, account: 1, host: { _ in "h.example" })
    for entry in takeAll() { answer(entry, .refused) }
    #expect(takeAll().count == 4)
  }

  @Test mutating func `opens at once at a host that answers again`() {
    for account in 0..<40 { add(account: account, host: { _ in "h.example" }, attempts: 1) }
    schedule.note(.missing, of: "h.example")
    #expect(takeAll().count == 1, "one less than the window: they were tried before")
    #expect(takeAll().isEmpty)
    schedule.note(.accepted, of: "h.example")
    schedule.note(.accepted, of: "h.example")
    #expect(takeAll().count == 2)
  }

  @Test mutating func `is given by the second to hosts that failed, the accounts in turn`() {
    add(5000, account: 1, host: { "dead\($0).example" }, attempts: 2)
    add(2, account: 2, host: { "other\($0).example" }, attempts: 2)
    var tried: [AccountID: Int] = [:]
    for _ in 0..<200 {
      for entry in takeAll() {
        tried[entry.account, default: 0] += 1
        schedule.remove(entry.id)
      }
    }
    #expect(tried.values.reduce(0, +) == 200)
    #expect(tried[Self.account(2)] == 2)
    #expect(schedule.nextDue(at: now) == now.advanced(byMilliseconds: 100))
    now = now.advanced(byMilliseconds: 100)
    var more = 0
    while case let taken = takeAll(), !taken.isEmpty {
      more += taken.count
      for entry in taken { schedule.remove(entry.id) }
    }
    #expect(more == 20)
  }
}

@Suite struct `What is known of hosts` {
  private let limits = InFlightLimits(perHost: 4, perAccount: 16)

  @Test(
    arguments: [
      (DeliveryAnswer.status(204, retryAfter: nil), 2000, HostAnswer.accepted),
      (.status(204, retryAfter: nil), 2001, .slow), (.status(404, retryAfter: nil), 0, .refused),
      (.status(429, retryAfter: "1"), 0, .overloaded), (.status(503, retryAfter: nil), 0, .overloaded),
      (.networkFailure("timed out"), 20_000, .missing), (.addressRefused, 0, .missing),
      (.notSent("the server was stopped"), 0, nil), (.replaced, 5000, nil),
    ] as [(DeliveryAnswer, Int64, HostAnswer?)])
  func `follows from an answer and its time`(answer: DeliveryAnswer, milliseconds: Int64, expected: HostAnswer?) {
    #expect(HostAnswer(answer, afterMilliseconds: milliseconds) == expected)
  }

  @Test func `is kept of what is asked for lately, and no more`() {
    var health = HostHealth(limits)
    health.note(.accepted, of: "first")
    for number in 0..<(3 * HostHealth.generationLength) {
      if number % 1000 == 0 { health.note(.accepted, of: "often") }
      health.note(.missing, of: "h\(number)")
    }
    #expect(health["first"].standing == .unknown)
    #expect(health["often"].standing == .answering && health["often"].window == limits.perHost + 30)
    #expect(health.count <= 2 * HostHealth.generationLength)
  }
}
