import Model
import PlantedBugs
import ServerCore

/// Which deliveries are served together.
struct DeliveryTurn {
  let priority: DeliveryPriority
  /// They were tried before.
  let isRepeat: Bool

  /// In the order in which they are served.
  static let all = DeliveryPriority.allCases.flatMap { priority in
    [false, true].map { DeliveryTurn(priority: priority, isRepeat: $0) }
  }
}

/// What is under way, and what may be started beside it.
struct DeliveryRoom {
  private struct Count {
    var all = 0
    var drills = 0
    /// Drills, and whatever was tried before.
    var repeats = 0

    mutating func add(_ turn: DeliveryTurn) {
      all += 1
      drills += turn.priority == .drill ? 1 : 0
      repeats += turn.priority == .drill || turn.isRepeat ? 1 : 0
    }
  }

  private struct Pair: Hashable {
    let host: String
    let account: AccountID
  }

  private struct Lease {
    let turn: DeliveryTurn
    let host: String
    let account: AccountID
    let endsAt: Timestamp
  }

  private let limits: InFlightLimits
  private var leases: [Lease] = []
  private var hosts: [String: Count] = [:]
  private var accounts: [AccountID: Count] = [:]
  private var pairs: [Pair: Int] = [:]
  private var total = Count()

  init(_ limits: InFlightLimits) {
    self.limits = limits
  }

  /// No more of one account than this are started at one host.
  var mostPerHost: Int { limits.perHost }

  /// - Parameter endsAt: when its lease ends; nil where it is being claimed now.
  mutating func start(_ turn: DeliveryTurn, _ host: String, _ account: AccountID, endsAt: Timestamp?) {
    hosts[host, default: Count()].add(turn)
    accounts[account, default: Count()].add(turn)
    pairs[Pair(host: host, account: account), default: 0] += 1
    total.add(turn)
    if let endsAt { leases.append(Lease(turn: turn, host: host, account: account, endsAt: endsAt)) }
  }

  /// What is under way after the end of each lease, the first in front.
  func afterLeases() -> [(end: Timestamp, room: DeliveryRoom)] {
    Set(leases.map(\.endsAt)).sorted().map { end in
      var room = DeliveryRoom(limits)
      for lease in leases where lease.endsAt > end {
        room.start(lease.turn, lease.host, lease.account, endsAt: lease.endsAt)
      }
      return (end, room)
    }
  }

  /// Nothing of this turn can be started at the host, whoever it is of.
  func isFull(_ host: String, _ turn: DeliveryTurn) -> Bool {
    let count = hosts[host] ?? Count()
    return count.all >= (Self.mayCall(turn) ? limits.callsPerHost : limits.perHost)
  }

  func mayStart(_ turn: DeliveryTurn, _ host: String, _ account: AccountID) -> Bool {
    let atHost = hosts[host] ?? Count()
    let ofAccount = accounts[account] ?? Count()
    guard ofAccount.all < limits.perAccount else { return false }
    if Self.mayCall(turn), pairs[Pair(host: host, account: account)] == nil, atHost.all < limits.callsPerHost {
      return true
    }
    guard atHost.all < limits.perHost else { return false }
    if PlantedBug.firstComeFirstServed.isPlanted { return true }
    if turn.priority == .drill {
      guard atHost.drills < limits.drillsPerHost, ofAccount.drills < limits.drillsPerAccount,
        total.drills < InFlightLimits.drills
      else { return false }
    }
    guard turn.isRepeat || turn.priority == .drill else { return true }
    return atHost.repeats < limits.repeatsPerHost && total.repeats < InFlightLimits.repeats
  }

  /// Somebody's call for help that was not tried yet.
  private static func mayCall(_ turn: DeliveryTurn) -> Bool {
    turn.priority == .help && !turn.isRepeat && !PlantedBug.firstComeFirstServed.isPlanted
  }

  /// Who has the fewest under way at the host comes first, then what is due the longest.
  func order(_ host: String, _ account: AccountID, _ dueAt: Timestamp) -> (Int, Timestamp, String) {
    let underWay = pairs[Pair(host: host, account: account)] ?? 0
    return (PlantedBug.firstComeFirstServed.isPlanted ? 0 : underWay, dueAt, account.description)
  }
}
