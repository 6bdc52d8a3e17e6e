/// What is still to happen, by its time; of one time, in the order in which it was planned. A binary heap.
struct EventQueue {
  struct Event {
    let at: Int64
    let order: UInt64
    let run: () -> Void

    func isBefore(_ other: Event) -> Bool { at == other.at ? order < other.order : at < other.at }
  }

  private var heap: [Event] = []
  private var planned: UInt64 = 0

  var isEmpty: Bool { heap.isEmpty }
  var nextTime: Int64? { heap.first?.at }

  mutating func add(at time: Int64, _ run: @escaping () -> Void) {
    planned += 1
    heap.append(Event(at: time, order: planned, run: run))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() -> Event? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first }
    heap[0] = last
    sink()
    return first
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
