import Secrets
import ServerCore

/// The one-time codes that wait for the SMS gateway: a few attempts each, well within a code's lifetime.
///
/// A value without a socket or a clock, owned by the outbound loop.
struct CodeQueue {
  struct Item: Sendable {
    var message: CodeMessage
    /// For the gateway: all attempts have the same.
    var id: String
    var attempts = 0
    /// Monotonic milliseconds.
    var dueAt: Int64
  }

  static let attemptLimit = 5
  private var waiting: [Item] = []

  mutating func add(_ messages: [CodeMessage], at now: Int64) {
    waiting += messages.map { Item(message: $0, id: Base64URL.encode(RandomBytes.live(16)), dueAt: now) }
  }

  /// Removes and returns the codes that are due.
  mutating func takeDue(at now: Int64) -> [Item] {
    let due = waiting.filter { $0.dueAt <= now }
    waiting.removeAll { $0.dueAt <= now }
    return due
  }

  /// Removes and returns all codes.
  mutating func takeAll() -> [Item] {
    defer { waiting = [] }
    return waiting
  }

  var nextDue: Int64? { waiting.map(\.dueAt).min() }

  /// Queues an item again after a failure: 1, 2, 4 and 8 s later. False after the last attempt.
  mutating func retry(_ item: Item, at now: Int64) -> Bool {
    var item = item
    item.attempts += 1
    guard item.attempts < Self.attemptLimit else { return false }
    item.dueAt = now + 1000 << Int64(item.attempts - 1)
    waiting.append(item)
    return true
  }

  static func request(for item: Item, _ gateway: GatewayTemplate) -> ChannelRequest {
    gateway.request(to: item.message.phone, text: item.message.text, id: item.id)
  }

  /// Whether the gateway would answer the same to another attempt.
  static func isFinal(_ status: Int) -> Bool {
    (400..<500).contains(status) && ![408, 425, 429].contains(status)
  }
}
