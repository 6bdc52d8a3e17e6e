import Collections
import Model

/// What is due of one turn: hosts go round, and at each host its accounts, so that neither keeps another waiting.
struct DeliveryLane: Sendable {
  struct Waiting: Comparable, Sendable {
    let dueAt: Timestamp
    let id: DeliveryID
    let version: Int

    static func < (left: Self, right: Self) -> Bool { (left.dueAt, left.version) < (right.dueAt, right.version) }
  }

  private var ring = Ring<String>()
  private var hosts: [String: HostQueue] = [:]

  mutating func insert(_ waiting: Waiting, _ account: AccountID, _ host: String) {
    hosts[host, default: HostQueue()].insert(waiting, account)
    ring.insert(host)
  }

  /// Takes out the next delivery of a host and an account that have room, in turn. What is not current any more is dropped.
  mutating func next(
    atHost hasRoom: (String) -> Bool, mayStart: (_ host: String, _ account: AccountID) -> Bool,
    isCurrent: (Waiting) -> Bool
  ) -> DeliveryID? {
    for _ in 0..<ring.count {
      guard let host = ring.popFirst() else { return nil }
      guard hasRoom(host), var queue = hosts.removeValue(forKey: host) else {
        ring.insert(host)
        continue
      }
      let found = queue.next(where: { mayStart(host, $0) }, isCurrent: isCurrent)
      if !queue.isEmpty {
        hosts[host] = queue
        ring.insert(host)
      }
      if let found { return found }
    }
    return nil
  }
}

/// What is due at one host, an account at a time: each account's longest due first.
private struct HostQueue: Sendable {
  private var ring = Ring<AccountID>()
  private var accounts: [AccountID: Heap<DeliveryLane.Waiting>] = [:]

  var isEmpty: Bool { ring.isEmpty }

  mutating func insert(_ waiting: DeliveryLane.Waiting, _ account: AccountID) {
    accounts[account, default: Heap()].insert(waiting)
    ring.insert(account)
  }

  mutating func next(
    where mayStart: (AccountID) -> Bool, isCurrent: (DeliveryLane.Waiting) -> Bool
  ) -> DeliveryID? {
    for _ in 0..<ring.count {
      guard let account = ring.popFirst() else { return nil }
      guard mayStart(account), var waiting = accounts.removeValue(forKey: account) else {
        ring.insert(account)
        continue
      }
      var found: DeliveryID?
      while found == nil, let first = waiting.popFirst() {
        if isCurrent(first) { found = first.id }
      }
      if !waiting.isEmpty {
        accounts[account] = waiting
        ring.insert(account)
      }
      if let found { return found }
    }
    return nil
  }
}
