import Collections
package import Model

/// Which delivery goes next: all that are queued, in memory, so that finding the next one costs no walk over hosts and accounts.
///
/// It follows what the store commits and decides nothing about a delivery itself. Urgent messages go before others, first
/// attempts before repeats; within such a turn hosts go round, and at one host its accounts. A value without a clock.
package struct DeliverySchedule: Sendable {
  /// What is known of a queued delivery.
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

    package init(
      id: DeliveryID, account: AccountID, host: String, priority: DeliveryPriority, attempts: Int, dueAt: Timestamp,
      isLeased: Bool
    ) {
      self.id = id
      self.account = account
      self.host = host
      self.priority = priority
      self.attempts = attempts
      self.dueAt = dueAt
      self.isLeased = isLeased
    }

    /// An attempt that is under way is counted already.
    var turn: DeliveryTurn { DeliveryTurn(priority: priority, isRepeat: attempts > (isLeased ? 1 : 0)) }
  }

  private struct Timer: Comparable {
    let at: Timestamp
    let id: DeliveryID
    let version: Int

    static func < (left: Self, right: Self) -> Bool { (left.at, left.version) < (right.at, right.version) }
  }

  private var entries: [DeliveryID: (entry: Entry, version: Int)] = [:]
  /// What is not due yet, and the ends of leases. One whose version is old says nothing.
  private var timers = Heap<Timer>()
  private var lanes: [DeliveryLane] = DeliveryTurn.all.map { _ in DeliveryLane() }
  private var room: DeliveryRoom
  private var versions = 0

  package init(_ limits: InFlightLimits) {
    room = DeliveryRoom(limits)
  }

  package var count: Int { entries.count }

  /// Takes the place of what was known of the delivery.
  package mutating func set(_ entry: Entry) {
    remove(entry.id)
    versions += 1
    entries[entry.id] = (entry, versions)
    if entry.isLeased { room.start(entry.turn, entry.host, entry.account) }
    timers.insert(Timer(at: entry.dueAt, id: entry.id, version: versions))
  }

  /// It is not queued any more, or waits for another one.
  package mutating func remove(_ id: DeliveryID) {
    guard let (entry, _) = entries.removeValue(forKey: id) else { return }
    if entry.isLeased { room.end(entry.turn, entry.host, entry.account) }
  }

  /// Up to `limit` deliveries that may be attempted now. They count as under way until `set`, `remove` or `putBack` says otherwise.
  package mutating func takeDue(at now: Timestamp, limit: Int) -> [Entry] {
    advance(to: now)
    var taken: [Entry] = []
    for place in lanes.indices {
      let turn = DeliveryTurn.all[place]
      while taken.count < limit, let entry = next(turn, in: place, at: now) {
        room.start(turn, entry.host, entry.account)
        var started = entry
        started.isLeased = true
        started.attempts += 1
        entries[entry.id]?.entry = started
        taken.append(entry)
      }
    }
    return taken
  }

  /// What `takeDue` gave and nobody claimed is as it was before.
  package mutating func putBack(_ taken: [Entry]) {
    for entry in taken { set(entry) }
  }

  /// When to ask `takeDue` again: it has nothing before that, and may have nothing then, where something waits for room. May be past;
  /// nil while nothing waits.
  package mutating func nextDue(at now: Timestamp) -> Timestamp? {
    let taken = takeDue(at: now, limit: 1)
    putBack(taken)
    if !taken.isEmpty { return now }
    while let timer = timers.first, entries[timer.id]?.version != timer.version { timers.popFirst() }
    return timers.first?.at
  }

  /// Moves what has become due into its lane, and ends the leases that are over.
  private mutating func advance(to now: Timestamp) {
    while let timer = timers.first, timer.at <= now {
      timers.popFirst()
      guard let (entry, version) = entries[timer.id], version == timer.version else { continue }
      if entry.isLeased {
        room.end(entry.turn, entry.host, entry.account)
        entries[entry.id]?.entry.isLeased = false
      }
      let turn = DeliveryTurn(priority: entry.priority, isRepeat: entry.attempts > 0)
      lanes[turn.place].insert(
        DeliveryLane.Waiting(dueAt: entry.dueAt, id: entry.id, version: version), entry.account, entry.host)
    }
  }

  private mutating func next(_ turn: DeliveryTurn, in place: Int, at now: Timestamp) -> Entry? {
    guard room.mayStartAny(turn) else { return nil }
    let (entries, room) = (entries, room)
    var early: [Timer] = []
    let found = lanes[place].next { host in
      room.hasRoom(turn, atHost: host)
    } mayStart: { host, account in
      room.mayStart(turn, ofAccount: account) && room.mayStart(turn, host, account)
    } isCurrent: { waiting in
      guard let known = entries[waiting.id], known.version == waiting.version, !known.entry.isLeased else {
        return false
      }
      // The clock was set back since.
      guard known.entry.dueAt <= now else {
        early.append(Timer(at: known.entry.dueAt, id: waiting.id, version: waiting.version))
        return false
      }
      return true
    }
    for timer in early { timers.insert(timer) }
    return found.flatMap { entries[$0]?.entry }
  }
}
