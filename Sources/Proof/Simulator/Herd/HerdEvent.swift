import SyncEngine

/// What happens to the device with this number.
struct HerdEvent {
  var at: Int64
  /// Of two at the same time the first that was said comes first.
  var order: UInt64
  var device: Int32
  var what: What

  enum What {
    case start
    /// The device asked to be woken.
    case wake
    /// A person raises an alert, or ends it, or changes a contact.
    case raise, end, contact
    /// A request comes to the server, or the server has done it.
    case arrived(HerdRequest), served(HerdRequest)
    /// An answer comes to the device.
    case answered(HerdRequest, HerdAnswer)
    /// The stream with this number is open, as the device sees it; tells that something changed; or broke.
    case streamOpened(Int), streamChanged(Int), streamEnded(Int)
    /// A responder was told, looked, or answered: the server has news for the device.
    case receipt
    /// Not of one device: all open streams are told that the server is there; the outage begins; it ends.
    case heartbeats, outageBegins, outageEnds
  }
}

struct HerdRequest {
  enum Kind: Int, CaseIterable {
    case alert, supervision, contacts, pull, refresh, stream
  }

  var number: Int
  var kind: Kind
  /// Somebody waits for help, or for news of it.
  var isUrgent: Bool
  /// The run of the server that has it in hand.
  var run = 0
}

enum HerdAnswer {
  case done, refused, unavailable
}

/// Events in the order of their times: a binary heap, as `EventQueue` is, of values instead of closures: there are millions.
struct HerdQueue {
  private var heap: [HerdEvent] = []
  private var order: UInt64 = 0

  mutating func add(_ what: HerdEvent.What, of device: Int32, at time: Int64) {
    order += 1
    heap.append(HerdEvent(at: time, order: order, device: device, what: what))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard isBefore(child, parent) else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  mutating func next() -> HerdEvent? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
    heap[0] = last
    sink()
    return first
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && isBefore(child, least) { least = child }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    (heap[left].at, heap[left].order) < (heap[right].at, heap[right].order)
  }
}
