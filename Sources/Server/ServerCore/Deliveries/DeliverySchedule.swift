import Collections
package import Model
import PlantedBugs

/// Which delivery goes next: all queued deliveries in memory, so that the next one is found without walking over hosts and
/// accounts.
///
/// It follows the store's commits. Urgent messages go before others, first attempts before second ones, and these before others, first those
/// of what failed at once; within such a turn the accounts of each host take turns. A value without a clock.
package struct DeliverySchedule: Sendable {
  /// A queued delivery.
  package struct Entry: Sendable, Hashable {
    package var id: DeliveryID
    package var account: AccountID
    package var host: String
    package var priority: DeliveryPriority
    /// How often it was claimed.
    package var attempts: Int
    /// When it may be claimed; while it is leased, when the lease ends.
    package var dueAt: Timestamp
    package var isLeased: Bool
    /// Whether an attempt failed since it was queued last, or may have: a message that is queued again counts as never tried.
    package var hasFailed: Bool
    /// Whether an attempt hung since it was queued last. Known to the process that made it.
    var hasHung = false

    package init(
      id: DeliveryID, account: AccountID, host: String, priority: DeliveryPriority, attempts: Int, dueAt: Timestamp,
      isLeased: Bool, hasFailed: Bool = true
    ) {
      self.id = id
      self.account = account
      self.host = host
      self.priority = priority
      self.attempts = attempts
      self.dueAt = dueAt
      self.isLeased = isLeased
      self.hasFailed = hasFailed
    }

    var turn: DeliveryTurn { DeliveryTurn(priority: priority, failures: failures) }

    /// A running attempt is already counted in `attempts`.
    private var failures: DeliveryTurn.Failures {
      let tries = hasFailed ? attempts - (isLeased ? 1 : 0) : 0
      if tries <= 0 { return .none }
      if tries > 1 || PlantedBug.retriesWaitAlike.isPlanted { return .several }
      return hasHung ? .oneThatHung : .one
    }
  }

  private struct Known: Sendable {
    var entry: Entry
    let version: Int
    /// While an attempt is running.
    var ticket: DeliveryRoom.Ticket?
  }

  private struct Timer: Comparable {
    let at: Timestamp
    let id: DeliveryID
    let version: Int

    static func < (left: Self, right: Self) -> Bool { (left.at, left.version) < (right.at, right.version) }
  }

  private var entries: [DeliveryID: Known] = [:]
  /// How many each account has; none that has none.
  private var counts: [AccountID: Int] = [:]
  /// The next due times and lease ends. Timers with an old version are ignored.
  private var timers = Heap<Timer>()
  private var lanes: [DeliveryLane] = DeliveryTurn.all.map { _ in DeliveryLane() }
  private var room: DeliveryRoom
  private var versions = 0

  /// - Parameter earlier: a schedule with the same limits; its knowledge of hosts is kept.
  package init(_ limits: InFlightLimits, after earlier: DeliverySchedule? = nil) {
    room = DeliveryRoom(limits, health: earlier?.room.health)
  }

  package var count: Int { entries.count }

  package func count(of account: AccountID) -> Int { counts[account] ?? 0 }

  package func contains(_ id: DeliveryID, of account: AccountID) -> Bool { entries[id]?.entry.account == account }

  /// Makes room for so many.
  mutating func reserve(_ count: Int) { entries.reserveCapacity(count) }

  /// Adds or replaces a delivery.
  package mutating func set(_ entry: Entry) { set(entry, hasHung: entries[entry.id]?.entry.hasHung == true) }

  /// - Parameter hasHung: whether its last attempt hung; ignored where none has failed since it was queued.
  mutating func set(_ entry: Entry, hasHung: Bool) {
    versions += 1
    let earlier = entries[entry.id]
    var entry = entry
    entry.hasHung = entry.hasFailed && hasHung
    // An attempt that goes on keeps its place: nothing that waits is tried there.
    var ticket = earlier?.ticket
    if !entry.isLeased || ticket == nil || earlier?.entry.runs(as: entry) != true {
      end(ticket)
      ticket = entry.isLeased ? room.start(entry.turn, entry.pair) : nil
    }
    entries[entry.id] = Known(entry: entry, version: versions, ticket: ticket)
    if earlier == nil { counts[entry.account, default: 0] += 1 }
    timers.insert(Timer(at: entry.dueAt, id: entry.id, version: versions))
  }

  /// Removes a delivery that is no longer queued, or waits for another one.
  package mutating func remove(_ id: DeliveryID) {
    guard let known = entries.removeValue(forKey: id) else { return }
    let left = count(of: known.entry.account) - 1
    counts[known.entry.account] = left > 0 ? left : nil
    end(known.ticket)
  }

  /// Records that the last attempt of a delivery hung. No attempt of it may be running.
  package mutating func noteHung(_ id: DeliveryID) {
    if entries[id]?.entry.hasFailed == true { entries[id]?.entry.hasHung = true }
  }

  /// Those whose attempts hung.
  var hung: [DeliveryID] { entries.values.filter(\.entry.hasHung).map(\.entry.id) }

  /// Records how a host answered: prompt answers allow more attempts at once, failures fewer.
  package mutating func note(_ answer: HostAnswer, of host: String) {
    let before = room.health[host]
    room.note(answer, of: host)
    let after = room.health[host]
    for place in lanes.indices where after != before && lanes[place].hasParked {
      if after.standing > before.standing { lanes[place].wakeAll(atHost: host) }
      if after.window > before.window {
        lanes[place].open(.host(host))
        lanes[place].open(.callsToHost(host))
      }
    }
  }

  /// Up to `limit` deliveries that may start now. They count as running until the next `set` or `remove`.
  package mutating func takeDue(at now: Timestamp, limit: Int) -> [Entry] {
    advance(to: now)
    var taken: [Entry] = []
    for (place, turn) in DeliveryTurn.all.enumerated() {
      while taken.count < limit, let pair = next(turn, at: now) {
        guard let id = lanes[place].takeFirst(of: pair), let entry = entries[id]?.entry else { continue }
        var started = entry
        started.isLeased = true
        started.attempts += 1
        entries[id]?.entry = started
        let ticket = room.start(turn, pair)
        room.spendRate(ticket)
        entries[id]?.ticket = ticket
        taken.append(entry)
      }
    }
    return taken
  }

  /// When to call `takeDue` again. It returns nothing before that time, and perhaps nothing then if deliveries wait for room. May
  /// be in the past; nil if nothing waits.
  package mutating func nextDue(at now: Timestamp) -> Timestamp? {
    advance(to: now)
    for turn in DeliveryTurn.all where next(turn, at: now) != nil { return now }
    while let timer = timers.first, entries[timer.id]?.version != timer.version { timers.popFirst() }
    let retry = lanes.contains { $0.hasAny(behind: .retries) } ? room.nextRetry(after: now) : nil
    return [timers.first?.at, retry].compactMap { $0 }.min()
  }

  /// Moves due deliveries into their lanes, and ends expired leases.
  private mutating func advance(to now: Timestamp) {
    room.advance(to: now)
    for place in lanes.indices where lanes[place].hasParked { lanes[place].open(.retries) }
    while let timer = timers.first, timer.at <= now {
      timers.popFirst()
      guard let known = entries[timer.id], known.version == timer.version else { continue }
      var entry = known.entry
      // Nobody knows how an attempt went whose lease has ended.
      entry.hasFailed = entry.hasFailed || entry.isLeased
      entry.isLeased = false
      entries[timer.id]?.entry = entry
      entries[timer.id]?.ticket = nil
      end(known.ticket)
      lanes[entry.turn.place].insert(
        DeliveryLane.Waiting(dueAt: entry.dueAt, id: timer.id, version: known.version), entry.pair)
    }
  }

  /// Ends a running attempt, and wakes deliveries that waited for its room.
  private mutating func end(_ ticket: DeliveryRoom.Ticket?) {
    guard let ticket else { return }
    room.end(ticket)
    let waiting = lanes.indices.filter { lanes[$0].hasParked }
    guard !waiting.isEmpty else { return }
    let bottlenecks = ticket.bottlenecks
    for place in waiting {
      lanes[place].wake(ticket.pair)
      for bottleneck in bottlenecks { lanes[place].open(bottleneck) }
    }
  }

  private mutating func next(_ turn: DeliveryTurn, at now: Timestamp) -> DeliveryPair? {
    let (entries, room) = (entries, room)
    var early: [Timer] = []
    let found = lanes[turn.place].next { pair in
      room.bottleneck(turn, pair)
    } isCurrent: { waiting in
      guard let known = entries[waiting.id], known.version == waiting.version, !known.entry.isLeased else {
        return false
      }
      // The clock was set back.
      guard known.entry.dueAt <= now else {
        early.append(Timer(at: known.entry.dueAt, id: waiting.id, version: waiting.version))
        return false
      }
      return true
    }
    for timer in early { timers.insert(timer) }
    return found
  }
}

extension DeliverySchedule.Entry {
  fileprivate var pair: DeliveryPair { DeliveryPair(host: host, account: account) }

  /// Whether an attempt of this one counts where an attempt of `other` does.
  fileprivate func runs(as other: Self) -> Bool { turn == other.turn && pair == other.pair }
}
