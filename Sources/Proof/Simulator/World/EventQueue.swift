import Collections

/// Future events by time; at equal times, in the order in which they were planned.
struct EventQueue {
  struct Event: Comparable {
    let at: Int64
    let order: UInt64
    let run: () -> Void

    static func < (left: Self, right: Self) -> Bool { (left.at, left.order) < (right.at, right.order) }
    static func == (left: Self, right: Self) -> Bool { left.order == right.order }
  }

  private var events = Heap<Event>()
  private var planned: UInt64 = 0

  var isEmpty: Bool { events.isEmpty }
  var nextTime: Int64? { events.first?.at }

  mutating func add(at time: Int64, _ run: @escaping () -> Void) {
    planned += 1
    events.insert(Event(at: time, order: planned, run: run))
  }

  mutating func removeFirst() -> Event? { events.popFirst() }
}
