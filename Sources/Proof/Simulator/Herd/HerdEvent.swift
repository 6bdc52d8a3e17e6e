import Collections
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

/// Events in the order of their times; of one time, in the order in which they were planned.
struct HerdQueue {
  private var events = Heap<HerdEvent>()
  private var order: UInt64 = 0

  mutating func add(_ what: HerdEvent.What, of device: Int32, at time: Int64) {
    order += 1
    events.insert(HerdEvent(at: time, order: order, device: device, what: what))
  }

  mutating func next() -> HerdEvent? { events.popFirst() }
}

extension HerdEvent: Comparable {
  static func < (left: Self, right: Self) -> Bool { (left.at, left.order) < (right.at, right.order) }
  static func == (left: Self, right: Self) -> Bool { left.order == right.order }
}
