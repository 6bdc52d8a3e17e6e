import Model
import PlantedBugs

/// Which deliveries are served together.
struct DeliveryTurn: Hashable, Sendable {
  let priority: DeliveryPriority
  /// They were tried before.
  let isRepeat: Bool

  /// In the order in which they are served.
  static let all = DeliveryPriority.allCases.flatMap { priority in
    [false, true].map { DeliveryTurn(priority: priority, isRepeat: $0) }
  }

  /// Its place in `all`.
  var place: Int { 2 * priority.rawValue + (isRepeat ? 1 : 0) }
}

/// What is under way, and what may be started beside it.
struct DeliveryRoom: Sendable {
  private struct Count {
    var all = 0
    var drills = 0
    /// Drills, and whatever was tried before.
    var repeats = 0

    mutating func add(_ turn: DeliveryTurn, _ change: Int) {
      all += change
      drills += turn.priority == .drill ? change : 0
      repeats += turn.priority == .drill || turn.isRepeat ? change : 0
    }
  }

  private struct Pair: Hashable {
    let host: String
    let account: AccountID
  }

  private let limits: InFlightLimits
  private var hosts: [String: Count] = [:]
  private var accounts: [AccountID: Count] = [:]
  private var pairs: [Pair: Int] = [:]
  private var total = Count()

  init(_ limits: InFlightLimits) {
    self.limits = limits
  }

  mutating func start(_ turn: DeliveryTurn, _ host: String, _ account: AccountID) { add(turn, host, account, 1) }

  mutating func end(_ turn: DeliveryTurn, _ host: String, _ account: AccountID) { add(turn, host, account, -1) }

  private mutating func add(_ turn: DeliveryTurn, _ host: String, _ account: AccountID, _ change: Int) {
    let pair = Pair(host: host, account: account)
    hosts[host, default: Count()].add(turn, change)
    accounts[account, default: Count()].add(turn, change)
    pairs[pair, default: 0] += change
    total.add(turn, change)
    if hosts[host]?.all == 0 { hosts[host] = nil }
    if accounts[account]?.all == 0 { accounts[account] = nil }
    if pairs[pair] == 0 { pairs[pair] = nil }
  }

  /// False where nothing of this turn can be started, whoever's it is.
  func mayStartAny(_ turn: DeliveryTurn) -> Bool {
    if PlantedBug.firstComeFirstServed.isPlanted { return true }
    if turn.priority == .drill, total.drills >= InFlightLimits.drills { return false }
    return !(turn.isRepeat || turn.priority == .drill) || total.repeats < InFlightLimits.repeats
  }

  /// False where nothing of this turn can be started at the host, whoever's it is.
  func hasRoom(_ turn: DeliveryTurn, atHost host: String) -> Bool {
    guard let count = hosts[host] else { return true }
    return count.all < (Self.mayCall(turn) ? limits.callsPerHost : limits.perHost)
  }

  /// False where nothing of the account can be started, at whatever host.
  func mayStart(_ turn: DeliveryTurn, ofAccount account: AccountID) -> Bool {
    guard let count = accounts[account] else { return true }
    if PlantedBug.firstComeFirstServed.isPlanted { return count.all < limits.perAccount }
    return count.all < limits.perAccount && (turn.priority != .drill || count.drills < limits.drillsPerAccount)
  }

  func mayStart(_ turn: DeliveryTurn, _ host: String, _ account: AccountID) -> Bool {
    let atHost = hosts[host] ?? Count()
    if Self.mayCall(turn), pairs[Pair(host: host, account: account)] == nil, atHost.all < limits.callsPerHost {
      return true
    }
    guard atHost.all < limits.perHost else { return false }
    if PlantedBug.firstComeFirstServed.isPlanted { return true }
    if turn.priority == .drill, atHost.drills >= limits.drillsPerHost { return false }
    guard turn.isRepeat || turn.priority == .drill else { return true }
    return atHost.repeats < limits.repeatsPerHost
  }

  /// Somebody's call for help that was not tried yet.
  private static func mayCall(_ turn: DeliveryTurn) -> Bool {
    turn.priority == .help && !turn.isRepeat && !PlantedBug.firstComeFirstServed.isPlanted
  }
}
