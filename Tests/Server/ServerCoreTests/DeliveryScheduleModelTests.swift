import Model
import TestSupport
import Testing

@testable import ServerCore

/// The schedule beside a model that walks over all entries and parks none: the same deliveries may start, in an order that the model
/// allows, and nothing waits that has room.
@Suite struct `A schedule beside a model that looks at everything` {
  @Test(arguments: UInt64(0)..<60) func `starts what the model would, and leaves nothing waiting`(seed: UInt64) {
    var pair = ScheduleAndModel(seed: seed)
    for _ in 0..<300 { pair.step() }
    pair.drain()
  }
}

/// The rules of `DeliveryRoom` over a plain list.
private struct ModelSchedule {
  private(set) var room: DeliveryRoom
  private(set) var entries: [DeliveryID: DeliverySchedule.Entry] = [:]
  private var tickets: [DeliveryID: DeliveryRoom.Ticket] = [:]

  init(_ limits: InFlightLimits) { room = DeliveryRoom(limits, health: nil) }

  mutating func set(_ entry: DeliverySchedule.Entry) {
    var entry = entry
    entry.hasHung = entry.hasFailed && entries[entry.id]?.hasHung == true
    remove(entry.id)
    entries[entry.id] = entry
    if entry.isLeased { tickets[entry.id] = room.start(entry.turn, pair(entry)) }
  }

  mutating func remove(_ id: DeliveryID) {
    entries[id] = nil
    if let ticket = tickets.removeValue(forKey: id) { room.end(ticket) }
  }

  mutating func noteHung(_ id: DeliveryID) { entries[id]?.hasHung = true }

  mutating func note(_ answer: HostAnswer, of host: String) { room.note(answer, of: host) }

  mutating func advance(to now: Timestamp, refillsRetries: Bool = true) {
    if refillsRetries { room.advance(to: now) }
    for (id, entry) in entries where entry.isLeased && entry.dueAt <= now {
      entries[id]?.isLeased = false
      if let ticket = tickets.removeValue(forKey: id) { room.end(ticket) }
    }
  }

  /// All deliveries that may start now.
  func startable(at now: Timestamp) -> [DeliverySchedule.Entry] {
    entries.values.filter { !$0.isLeased && $0.dueAt <= now && room.bottleneck($0.turn, pair($0)) == nil }
  }

  mutating func start(_ entry: DeliverySchedule.Entry) {
    let ticket = room.start(entry.turn, pair(entry))
    room.spendRate(ticket)
    entries[entry.id]?.isLeased = true
    entries[entry.id]?.attempts += 1
    tickets[entry.id] = ticket
  }

  private func pair(_ entry: DeliverySchedule.Entry) -> DeliveryPair {
    DeliveryPair(host: entry.host, account: entry.account)
  }
}

/// Does the same to a schedule and to the model, at random, and compares.
private struct ScheduleAndModel {
  private static let start = Timestamp(milliseconds: 1_000_000)
  private static let limits: InFlightLimits = {
    var limits = InFlightLimits(perHost: 2, perAccount: 4)
    limits.all = 16
    limits.retriesPerSecond = 5
    return limits
  }()

  private var schedule = DeliverySchedule(limits)
  private var model = ModelSchedule(limits)
  private var random: SeededRandom
  private var now = start

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  mutating func step() {
    switch Int.random(in: 0..<10, using: &random) {
    case 0...2: set(randomEntry())
    case 3: anyEntry().map { remove($0.id) }
    case 4: anyEntry(where: \.isLeased).map { answer($0) }
    case 5: anyEntry(where: \.isLeased).map { answer($0) }
    case 6: note(random.pick([.accepted, .accepted, .slow, .missing, .overloaded, .refused]), of: randomHost())
    case 7: now = now.advanced(byMilliseconds: Int64.random(in: -100...400, using: &random))
    case 8: checkNextDue()
    default: take(limit: random.pick([1, 2, 1000]))
    }
  }

  /// When every attempt is answered and time passes, all deliveries are given.
  mutating func drain() {
    for _ in 0..<2000 where !model.entries.isEmpty {
      now = now.advanced(byMilliseconds: 500)
      take(limit: 1000)
      for entry in model.entries.values where entry.isLeased { remove(entry.id) }
    }
    #expect(model.entries.isEmpty && schedule.count == 0)
    #expect(schedule.nextDue(at: now) == nil)
  }

  private mutating func take(limit: Int) {
    model.advance(to: now)
    let taken = schedule.takeDue(at: now, limit: limit)
    for entry in taken {
      check(entry)
      model.start(entry)
    }
    if taken.count < limit { #expect(model.startable(at: now).isEmpty, "nothing that has room waits") }
    // The store commits what was taken as leases.
    for entry in taken {
      var leased = entry
      leased.isLeased = true
      leased.attempts += 1
      leased.dueAt = now.advanced(byMilliseconds: 700)
      set(leased)
    }
  }

  /// `entry` may start, nothing more urgent may, and it is the longest due of its pair in its turn.
  private func check(_ entry: DeliverySchedule.Entry) {
    let startable = model.startable(at: now)
    #expect(startable.contains(entry))
    #expect(startable.allSatisfy { $0.turn.place >= entry.turn.place })
    let same = startable.filter { $0.host == entry.host && $0.account == entry.account && $0.turn == entry.turn }
    #expect(same.allSatisfy { $0.dueAt >= entry.dueAt })
  }

  private mutating func checkNextDue() {
    model.advance(to: now)
    let next = schedule.nextDue(at: now)
    let isNow = next.map { $0 <= now } ?? false
    #expect(isNow == !model.startable(at: now).isEmpty)
    // Nothing may start before that.
    for time in Set(model.entries.values.map(\.dueAt)) where time > now && next.map({ time < $0 }) ?? true {
      var later = model
      // What waits for the rate of retries alone may have it a little earlier: the time for that is rounded up.
      later.advance(to: time, refillsRetries: time >= now.advanced(byMilliseconds: 100))
      #expect(later.startable(at: time).isEmpty)
    }
  }

  private mutating func set(_ entry: DeliverySchedule.Entry) {
    schedule.set(entry)
    model.set(entry)
  }

  private mutating func remove(_ id: DeliveryID) {
    schedule.remove(id)
    model.remove(id)
  }

  private mutating func note(_ answer: HostAnswer, of host: String) {
    schedule.note(answer, of: host)
    model.note(answer, of: host)
  }

  private mutating func answer(_ entry: DeliverySchedule.Entry) {
    let answer: HostAnswer = random.pick([.accepted, .accepted, .slow, .missing])
    note(answer, of: entry.host)
    guard answer != .accepted else { return remove(entry.id) }
    var again = entry
    again.isLeased = false
    again.dueAt = now.advanced(byMilliseconds: Int64.random(in: 0...500, using: &random))
    set(again)
    guard Bool.random(using: &random) else { return }
    schedule.noteHung(again.id)
    model.noteHung(again.id)
  }

  private mutating func anyEntry(
    where isWanted: (DeliverySchedule.Entry) -> Bool = { _ in true }
  ) -> DeliverySchedule.Entry? {
    model.entries.values.filter(isWanted).sorted { $0.id.description < $1.id.description }.randomElement(using: &random)
  }

  private mutating func randomHost() -> String { "h\(Int.random(in: 0..<6, using: &random))" }

  private mutating func randomEntry() -> DeliverySchedule.Entry {
    let number = UInt64.random(in: 0..<80, using: &random)
    return DeliverySchedule.Entry(
      id: DeliveryID(versionSevenAt: Self.start, random: (2, number)),
      account: AccountID(versionSevenAt: Self.start, random: (1, number % 7)), host: randomHost(),
      priority: random.pick(DeliveryPriority.allCases), attempts: Int.random(in: 0...2, using: &random),
      dueAt: now.advanced(byMilliseconds: Int64.random(in: 0...300, using: &random)), isLeased: false)
  }
}
