import Model
import TestSupport
import Testing

@testable import ServerCore

/// The schedule against a list that is searched from one end to the other, and what it promises of turns.
@Suite struct `A schedule of deliveries` {
  private static let limits = InFlightLimits(perHost: 2, perAccount: 3)
  private static let start = Timestamp(milliseconds: 1_000_000)

  private static func account(_ number: Int) -> AccountID {
    AccountID(versionSevenAt: start, random: (1, UInt64(number)))
  }

  private static func entry(
    _ number: Int, account: Int = 0, host: String = "h", priority: DeliveryPriority = .help, attempts: Int = 0,
    dueAt: Timestamp = start, isLeased: Bool = false, hasFailed: Bool = true
  ) -> DeliverySchedule.Entry {
    DeliverySchedule.Entry(
      id: DeliveryID(versionSevenAt: start, random: (2, UInt64(number))), account: Self.account(account), host: host,
      priority: priority, attempts: attempts, dueAt: dueAt, isLeased: isLeased, hasFailed: hasFailed)
  }

  @Test(arguments: DeliveryPriority.allCases)
  func `gives what was queued again as what was never tried, until an attempt fails`(priority: DeliveryPriority) {
    var schedule = DeliverySchedule(Self.limits)
    schedule.set(Self.entry(1, priority: priority, attempts: 3))
    let later = Self.start.advanced(byMilliseconds: 1)
    let again = Self.entry(2, priority: priority, attempts: 3, dueAt: later, hasFailed: false)
    schedule.set(again)
    #expect(schedule.takeDue(at: later, limit: 1) == [again])
    // Nobody knows how an attempt went whose lease has ended.
    schedule.set(Self.entry(2, priority: priority, attempts: 4, dueAt: later, isLeased: true, hasFailed: false))
    #expect(schedule.takeDue(at: later, limit: 1).map(\.attempts) == [3])
  }

  @Test func `gives nothing before it is due, and says when to ask again`() {
    var schedule = DeliverySchedule(Self.limits)
    #expect(schedule.nextDue(at: Self.start) == nil)
    let later = Self.start.advanced(byMilliseconds: 500)
    schedule.set(Self.entry(1, dueAt: later))
    #expect(schedule.takeDue(at: Self.start, limit: 9).isEmpty)
    #expect(schedule.nextDue(at: Self.start) == later)
    #expect(schedule.takeDue(at: later, limit: 9).count == 1)
    #expect(schedule.takeDue(at: later, limit: 9).isEmpty, "it is under way")
  }

  @Test func `gives again what was set back, and what a lease has ended of`() {
    var schedule = DeliverySchedule(Self.limits)
    schedule.set(Self.entry(1))
    let taken = schedule.takeDue(at: Self.start, limit: 9)
    for entry in taken { schedule.set(entry) }
    #expect(schedule.takeDue(at: Self.start, limit: 9) == taken)
    let leaseEnd = Self.start.advanced(byMilliseconds: 60_000)
    schedule.set(Self.entry(1, attempts: 1, dueAt: leaseEnd, isLeased: true))
    #expect(schedule.nextDue(at: Self.start) == leaseEnd)
    #expect(schedule.takeDue(at: leaseEnd, limit: 9).map(\.id) == taken.map(\.id))
  }

  @Test func `forgets what is not queued any more, and makes room for others`() {
    var schedule = DeliverySchedule(Self.limits)
    for number in 0..<3 { schedule.set(Self.entry(number)) }
    let first = schedule.takeDue(at: Self.start, limit: 9)
    #expect(first.count == 2, "two at one host")
    schedule.remove(first[0].id)
    #expect(schedule.takeDue(at: Self.start, limit: 9).count == 1)
    #expect(schedule.count == 2)
  }

  @Test func `goes round among hosts and accounts, however much one of them has`() {
    var schedule = DeliverySchedule(Self.limits)
    for number in 0..<1000 { schedule.set(Self.entry(number, account: 1, host: "h\(number % 500)")) }
    #expect(schedule.takeDue(at: Self.start, limit: 100).count == 3, "three of one account")
    schedule.set(Self.entry(2000, account: 2, host: "h7"))
    #expect(schedule.takeDue(at: Self.start, limit: 100).map(\.account) == [Self.account(2)])
  }

  @Test func `looks at nothing that has no room, however much waits`() {
    func look(at count: Int) -> Duration {
      var schedule = DeliverySchedule(InFlightLimits(perHost: 4, perAccount: 16))
      for number in 0..<count { schedule.set(Self.entry(number, account: number % 100, host: "big", attempts: 1)) }
      let taken = schedule.takeDue(at: Self.start, limit: 128)
      for var entry in taken {
        entry.isLeased = true
        entry.dueAt = Self.start.advanced(byMilliseconds: 60_000)
        schedule.set(entry)
      }
      return (0..<20).map { _ in
        ContinuousClock().measure { for _ in 0..<20 { _ = schedule.nextDue(at: Self.start) } }
      }.min() ?? .zero
    }
    #expect(look(at: 10_000) < look(at: 100) * 10)
  }

  @Test func `looks at no account of which all is under way that may be, however many hosts it names`() {
    func look(at count: Int) -> Duration {
      var schedule = DeliverySchedule(InFlightLimits(perHost: 4, perAccount: 16))
      for number in 0..<count { schedule.set(Self.entry(number, account: number % 8, host: "h\(number)")) }
      #expect(schedule.takeDue(at: Self.start, limit: 1000).count == min(count, 80))
      return (0..<20).map { _ in
        ContinuousClock().measure { for _ in 0..<20 { _ = schedule.nextDue(at: Self.start) } }
      }.min() ?? .zero
    }
    #expect(look(at: 10_000) < look(at: 200) * 10)
  }

  @Test func `does not give early what was written before the clock was set back`() {
    var schedule = DeliverySchedule(Self.limits)
    let later = Self.start.advanced(byMilliseconds: 1000)
    for number in 0..<2 { schedule.set(Self.entry(number, dueAt: later)) }
    #expect(schedule.takeDue(at: later, limit: 0).isEmpty)
    #expect(schedule.takeDue(at: Self.start, limit: 9).isEmpty)
    #expect(schedule.takeDue(at: later, limit: 9).count == 2)
  }

  /// Everything that a list of the same entries, read from one end to the other, would allow; and nothing else.
  @Test(arguments: UInt64(0)..<40) func `gives what may be given, whatever came before`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var schedule = DeliverySchedule(Self.limits)
    var known: [DeliveryID: DeliverySchedule.Entry] = [:]
    var now = Self.start
    for _ in 0..<400 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0...2:
        let number = Int.random(in: 0..<40, using: &random)
        let entry = Self.entry(
          number, account: number % 5, host: "h\(number % 3)", priority: DeliveryPriority.allCases[number % 3],
          attempts: Int.random(in: 0...2, using: &random),
          dueAt: now.advanced(byMilliseconds: Int64.random(in: 0...200, using: &random)))
        schedule.set(entry)
        known[entry.id] = entry
      case 3:
        guard let id = known.keys.sorted(by: { $0.description < $1.description }).randomElement(using: &random) else {
          break
        }
        schedule.remove(id)
        known[id] = nil
      case 4: now = now.advanced(byMilliseconds: Int64.random(in: 0...100, using: &random))
      default:
        for entry in schedule.takeDue(at: now, limit: Int.random(in: 1...4, using: &random)) {
          var expected = known[entry.id]
          if let lease = expected, lease.isLeased, lease.dueAt <= now { expected?.isLeased = false }
          #expect(expected == entry, "it is as it was set")
          #expect(entry.dueAt <= now && !entry.isLeased)
          var leased = entry
          leased.isLeased = true
          leased.attempts += 1
          leased.dueAt = now.advanced(byMilliseconds: 300)
          schedule.set(leased)
          known[entry.id] = leased
        }
        for (id, entry) in known where entry.isLeased && entry.dueAt <= now { known[id]?.isLeased = false }
        let underWay = known.values.filter(\.isLeased)
        for host in Set(underWay.map(\.host)) {
          #expect(underWay.filter { $0.host == host }.count <= 4 * Self.limits.perHost)
        }
        for account in Set(underWay.map(\.account)) {
          #expect(underWay.filter { $0.account == account }.count <= Self.limits.perAccount)
        }
      }
    }
    // Nothing is lost: when all leases end, all are given in the end.
    for _ in 0..<200 where !known.isEmpty {
      now = now.advanced(byMilliseconds: 400)
      for entry in schedule.takeDue(at: now, limit: 100) {
        #expect(known.removeValue(forKey: entry.id) != nil)
        schedule.remove(entry.id)
      }
    }
    #expect(known.isEmpty && schedule.nextDue(at: now) == nil)
  }
}
