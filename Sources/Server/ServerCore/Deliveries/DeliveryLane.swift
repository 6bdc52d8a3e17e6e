import Collections
import Model

/// The due deliveries of one turn: pairs of host and account take turns, so that no host and no account starves another.
///
/// A pair that must wait is parked behind its bottleneck and not examined again before that opens, so that the next delivery is
/// found without a walk. When a bottleneck opens, the first pair behind it is tried, then the next, until one is held up by it
/// again.
struct DeliveryLane: Sendable {
  struct Waiting: Comparable, Sendable {
    let dueAt: Timestamp
    let id: DeliveryID
    let version: Int

    static func < (left: Self, right: Self) -> Bool { (left.dueAt, left.version) < (right.dueAt, right.version) }
  }

  /// The due deliveries of one pair, the longest due first.
  private struct Cell: Sendable {
    var waiting = Heap<Waiting>()
    /// Its bottleneck; nil while it is in the ring.
    var heldUpBy: DeliveryBottleneck?
    /// The bottleneck whose opening put it into the ring. Its outcome decides whether the next pair is tried.
    var tries: DeliveryBottleneck?
    /// The number of its only valid place in `ring` or `queues`.
    var place = 0
  }

  fileprivate struct Place: Sendable {
    let pair: DeliveryPair
    let number: Int
  }

  private var cells: [DeliveryPair: Cell] = [:]
  private var accounts: [String: Set<AccountID>] = [:]
  private var ring: ArraySlice<Place> = []
  private var queues: [DeliveryBottleneck: WaitingLine] = [:]
  /// By an account's bottleneck: the queues in which the account is suspended.
  private var suspensions: [DeliveryBottleneck: [DeliveryBottleneck]] = [:]
  /// The bottlenecks of which a pair is being tried.
  private var opened: Set<DeliveryBottleneck> = []
  private var places = 0

  mutating func insert(_ waiting: Waiting, _ pair: DeliveryPair) {
    if cells[pair] == nil {
      cells[pair] = Cell()
      accounts[pair.host, default: []].insert(pair.account)
      enterRing(pair)
    }
    cells[pair]?.waiting.insert(waiting)
  }

  /// The next pair in turn without a bottleneck. Drops deliveries that are not current.
  mutating func next(
    heldUpBy bottleneck: (DeliveryPair) -> DeliveryBottleneck?, isCurrent: (Waiting) -> Bool
  ) -> DeliveryPair? {
    while let place = ring.first {
      let pair = place.pair
      guard cells[pair]?.place == place.number else {
        ring.removeFirst()
        continue
      }
      while let first = cells[pair]?.waiting.first, !isCurrent(first) { cells[pair]?.waiting.popFirst() }
      if cells[pair]?.waiting.isEmpty == true {
        ring.removeFirst()
        remove(pair)
      } else if let bottleneck = bottleneck(pair) {
        ring.removeFirst()
        hold(pair, behind: bottleneck)
      } else {
        return pair
      }
    }
    return nil
  }

  /// Removes the first delivery of the pair that `next` returned; the pair goes to the back of the ring.
  mutating func takeFirst(of pair: DeliveryPair) -> DeliveryID? {
    ring.removeFirst()
    let taken = cells[pair]?.waiting.popFirst()
    if cells[pair]?.waiting.isEmpty == true {
      remove(pair)
    } else {
      let tried = cells[pair]?.tries
      cells[pair]?.tries = nil
      enterRing(pair)
      goOn(after: tried)
    }
    return taken?.id
  }

  /// Whether any pair waits behind a bottleneck: only then does it matter what opens.
  var hasParked: Bool { !queues.isEmpty }

  /// Whether a pair waits behind it, and its account is not suspended.
  func hasAny(behind bottleneck: DeliveryBottleneck) -> Bool { queues[bottleneck]?.hasNext == true }

  /// Tries the first pair behind `bottleneck`, which may have room.
  mutating func open(_ bottleneck: DeliveryBottleneck) {
    tryFirst(behind: bottleneck)
    guard case .account(let account, _) = bottleneck, let others = suspensions.removeValue(forKey: bottleneck) else {
      return
    }
    for other in others {
      queues[other]?.resume(account)
      tryFirst(behind: other)
    }
  }

  private mutating func tryFirst(behind bottleneck: DeliveryBottleneck) {
    guard !opened.contains(bottleneck), var queue = queues.removeValue(forKey: bottleneck) else { return }
    while let place = queue.popFirst() {
      guard cells[place.pair]?.place == place.number else { continue }
      cells[place.pair]?.heldUpBy = nil
      cells[place.pair]?.tries = bottleneck
      opened.insert(bottleneck)
      enterRing(place.pair)
      break
    }
    if !queue.isEmpty { queues[bottleneck] = queue }
  }

  /// Tries a parked pair again.
  mutating func wake(_ pair: DeliveryPair) {
    guard cells[pair]?.heldUpBy != nil else { return }
    cells[pair]?.heldUpBy = nil
    enterRing(pair)
  }

  /// Tries all parked pairs of the host again.
  mutating func wakeAll(atHost host: String) {
    let pairs = (accounts[host] ?? []).map { DeliveryPair(host: host, account: $0) }
    let places = pairs.compactMap { pair in cells[pair].map { (pair: pair, number: $0.place) } }
    for place in places.sorted(by: { $0.number < $1.number }) { wake(place.pair) }
  }

  private mutating func enterRing(_ pair: DeliveryPair) {
    ring.append(newPlace(pair))
  }

  private mutating func newPlace(_ pair: DeliveryPair) -> Place {
    places += 1
    cells[pair]?.place = places
    return Place(pair: pair, number: places)
  }

  private mutating func hold(_ pair: DeliveryPair, behind bottleneck: DeliveryBottleneck) {
    let tried = cells[pair]?.tries
    cells[pair]?.tries = nil
    let place = newPlace(pair)
    if let tried, tried == bottleneck {
      opened.remove(bottleneck)
      cells[pair]?.heldUpBy = bottleneck
      queues[bottleneck, default: WaitingLine()].putBack(place)
    } else if case .everybody? = tried, case .account = bottleneck, let tried {
      // All pairs of the account in that queue would be held up too: suspend them there instead of moving them one by one.
      cells[pair]?.heldUpBy = tried
      queues[tried, default: WaitingLine()].suspend(place)
      suspensions[bottleneck, default: []].append(tried)
      goOn(after: tried)
    } else {
      cells[pair]?.heldUpBy = bottleneck
      queues[bottleneck, default: WaitingLine()].append(place)
      goOn(after: tried)
    }
  }

  private mutating func remove(_ pair: DeliveryPair) {
    let tried = cells.removeValue(forKey: pair)?.tries
    accounts[pair.host]?.remove(pair.account)
    if accounts[pair.host]?.isEmpty == true { accounts[pair.host] = nil }
    goOn(after: tried)
  }

  /// The tried pair was not held up by `bottleneck`, so the next may not be either.
  private mutating func goOn(after bottleneck: DeliveryBottleneck?) {
    guard let bottleneck else { return }
    opened.remove(bottleneck)
    tryFirst(behind: bottleneck)
  }
}

/// The pairs behind one bottleneck; their accounts take turns. The first can be put back.
private struct WaitingLine: Sendable {
  private var returned: [DeliveryLane.Place] = []
  private var ring = Ring<AccountID>()
  private var places: [AccountID: ArraySlice<DeliveryLane.Place>] = [:]
  /// Accounts that wait for a limit of their own.
  private var suspended: Set<AccountID> = []

  var isEmpty: Bool { returned.isEmpty && places.isEmpty }
  var hasNext: Bool { !returned.isEmpty || !ring.isEmpty }

  mutating func append(_ place: DeliveryLane.Place) {
    places[place.pair.account, default: []].append(place)
    if !suspended.contains(place.pair.account) { ring.insert(place.pair.account) }
  }

  mutating func putBack(_ place: DeliveryLane.Place) { returned.append(place) }

  mutating func popFirst() -> DeliveryLane.Place? {
    if let place = returned.popLast() { return place }
    while let account = ring.popFirst() {
      guard !suspended.contains(account), let place = places[account]?.popFirst() else { continue }
      if places[account]?.isEmpty == true { places[account] = nil } else { ring.insert(account) }
      return place
    }
    return nil
  }

  /// Adds the place, and skips its account until `resume`.
  mutating func suspend(_ place: DeliveryLane.Place) {
    places[place.pair.account, default: []].append(place)
    suspended.insert(place.pair.account)
  }

  mutating func resume(_ account: AccountID) {
    suspended.remove(account)
    if places[account] != nil { ring.insert(account) }
  }
}
