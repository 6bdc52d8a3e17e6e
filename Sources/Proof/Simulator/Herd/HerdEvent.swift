import Collections
import SyncEngine

/// An event of the device with this number.
struct HerdEvent {
  var at: Int64
  /// Of two events at the same time, the first planned comes first.
  var order: UInt64
  var device: Int32
  var what: What

  enum What {
    case start
    /// The device's timer is due.
    case wake
    /// A person raises an alert, ends it, or changes a contact.
    case raise, end, contact
    /// A request reaches the server, or the server has handled it.
    case arrived(HerdRequest), served(HerdRequest)
    /// An answer reaches the device.
    case answered(HerdRequest, HerdAnswer)
    /// On the device's side, the stream with this number opened, reported a change, or broke.
    case streamOpened(Int), streamChanged(Int), streamEnded(Int)
    /// A responder was told, looked, or answered: the server has news for the device.
    case receipt
    /// Events of no single device: the server looks at its open streams; the outage begins; it ends.
    case tick, outageBegins, outageEnds
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
  /// The run of the server that handles it.
  var run = 0
  /// What a stream asks for.
  var heartbeatSeconds = 0
}

enum HerdAnswer {
  case done, refused, unavailable
}

/// Events by time; at equal times, in the order in which they were planned.
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
