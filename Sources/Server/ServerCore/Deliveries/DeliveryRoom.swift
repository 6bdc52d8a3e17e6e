import Model
import PlantedBugs

/// Which deliveries are served together.
struct DeliveryTurn: Hashable, Sendable {
  /// How often they were tried in vain, in all rounds of what asks again. What failed once may have met a moment's trouble, and does not wait
  /// behind what fails on and on, nor behind what will hang again.
  enum Failures: Int, CaseIterable, Sendable {
    case none
    /// It failed at once, or this process does not know how.
    case one
    /// It hung.
    case oneThatHung
    case several
  }

  let priority: DeliveryPriority
  let failures: Failures

  /// In the order in which they are served.
  static let all = DeliveryPriority.allCases.flatMap { priority in
    Failures.allCases.map { DeliveryTurn(priority: priority, failures: $0) }
  }

  /// Its place in `all`.
  var place: Int { Failures.allCases.count * priority.place + failures.rawValue }

  var isRepeat: Bool { failures != .none }

  /// Whether it leaves room for first messages about real alerts.
  fileprivate var leavesRoom: Bool { isRepeat || priority == .drill || priority == .extra }

  /// A call for help that has not been tried.
  fileprivate var isFirstHelp: Bool { priority == .help && !isRepeat }
}

/// The deliveries of one account to one host.
struct DeliveryPair: Hashable, Sendable {
  let host: String
  let account: AccountID
}

/// The deliveries of one turn to one host.
private struct TurnAtHost: Hashable {
  let turn: DeliveryTurn
  let host: String
}

/// The limit that holds up a delivery. In one turn, it holds up all deliveries behind it alike.
enum DeliveryBottleneck: Hashable, Sendable {
  /// An account's limit, for hosts of a standing.
  case account(AccountID, HostStanding)
  case host(String)
  /// A host's limit for accounts without a running attempt there.
  case callsToHost(String)
  /// The overall limits, for hosts of a standing; `isFirstCall`: for a call for help of an account without a running attempt.
  case everybody(HostStanding, isFirstCall: Bool)

  /// Also opens with time: the rate of retries to failing hosts is limited.
  static let retries = Self.everybody(.failing, isFirstCall: false)

  fileprivate static let shared = HostStanding.allCases.flatMap { standing in
    [false, true].map { Self.everybody(standing, isFirstCall: $0) }
  }
}

/// The running attempts, and what may start beside them.
struct DeliveryRoom: Sendable {
  /// A running attempt, as it was counted.
  struct Ticket: Sendable, Hashable {
    fileprivate let turn: DeliveryTurn
    let pair: DeliveryPair
    fileprivate let standing: HostStanding
    fileprivate var isRetry: Bool { turn.isRepeat && standing == .failing }

    /// What may open when this ends.
    var bottlenecks: [DeliveryBottleneck] {
      HostStanding.allCases.map { .account(pair.account, $0) } + [.host(pair.host), .callsToHost(pair.host)]
        + DeliveryBottleneck.shared
    }
  }

  private struct Count: Sendable {
    var all = 0
    var drills = 0
    /// Drills, retries, and what asks again.
    var repeats = 0
    /// To hosts that are failing or unknown.
    var unproven = 0
    var failing = 0

    mutating func add(_ ticket: Ticket, _ change: Int) {
      let isDrill = ticket.turn.priority == .drill
      all += change
      drills += isDrill ? change : 0
      repeats += ticket.turn.leavesRoom ? change : 0
      unproven += ticket.standing < .answering ? change : 0
      failing += ticket.standing == .failing ? change : 0
    }
  }

  private let limits: InFlightLimits
  private(set) var health: HostHealth
  private var hosts: [String: Count] = [:]
  private var accounts: [AccountID: Count] = [:]
  private var pairs: [DeliveryPair: Int] = [:]
  private var turns: [TurnAtHost: Int] = [:]
  private var total = Count()
  /// The token bucket of retries to failing hosts, and when it was last filled.
  private var retries: Double
  private var retriesAt: Timestamp?

  init(_ limits: InFlightLimits, health: HostHealth?) {
    self.limits = limits
    self.health = health ?? HostHealth(limits)
    retries = Double(limits.retriesPerSecond)
  }

  /// Fills the token bucket of retries.
  mutating func advance(to now: Timestamp) {
    // A clock that was set back changes nothing.
    let passed = max(0, retriesAt.map { now.milliseconds(since: $0) } ?? 0)
    retriesAt = now
    retries = min(Double(limits.retriesPerSecond), retries + Double(passed * Int64(limits.retriesPerSecond)) / 1000)
  }

  /// When to try failing hosts again; nil if the rate allows it now. Rounded up, so that several start with one commit.
  func nextRetry(after now: Timestamp) -> Timestamp? { retries < 1 ? now.advanced(byMilliseconds: 100) : nil }

  mutating func note(_ answer: HostAnswer, of host: String) { health.note(answer, of: host) }

  mutating func start(_ turn: DeliveryTurn, _ pair: DeliveryPair) -> Ticket {
    let ticket = Ticket(turn: turn, pair: pair, standing: standing(turn, pair.host))
    add(ticket, 1)
    return ticket
  }

  /// The host of a retry counts as failing, also after a restart of the server, until it has answered.
  private func standing(_ turn: DeliveryTurn, _ host: String) -> HostStanding {
    let known = health[host].standing
    return turn.isRepeat && known == .unknown ? .failing : known
  }

  /// Takes a token for a retry that starts now.
  mutating func spendRate(_ ticket: Ticket) {
    if ticket.isRetry { retries -= 1 }
  }

  mutating func end(_ ticket: Ticket) { add(ticket, -1) }

  private mutating func add(_ ticket: Ticket, _ change: Int) {
    let pair = ticket.pair
    hosts[pair.host, default: Count()].add(ticket, change)
    accounts[pair.account, default: Count()].add(ticket, change)
    pairs[pair, default: 0] += change
    let turn = TurnAtHost(turn: ticket.turn, host: pair.host)
    turns[turn, default: 0] += change
    total.add(ticket, change)
    if hosts[pair.host]?.all == 0 { hosts[pair.host] = nil }
    if accounts[pair.account]?.all == 0 { accounts[pair.account] = nil }
    if pairs[pair] == 0 { pairs[pair] = nil }
    if turns[turn] == 0 { turns[turn] = nil }
  }

  /// What holds up a delivery; nil if it may start.
  func bottleneck(_ turn: DeliveryTurn, _ pair: DeliveryPair) -> DeliveryBottleneck? {
    let (host, standing) = (health[pair.host], standing(turn, pair.host))
    if PlantedBug.firstComeFirstServed.isPlanted { return bottleneckOfOldest(pair) }
    return bottleneck(turn, ofAccount: pair.account, standing) ?? bottleneck(turn, atHost: host, pair)
      ?? bottleneckOfAll(turn, pair, standing)
  }

  private func bottleneck(
    _ turn: DeliveryTurn, ofAccount account: AccountID, _ standing: HostStanding
  ) -> DeliveryBottleneck? {
    guard let count = accounts[account] else { return nil }
    let hasRoom =
      count.all < limits.mostPerAccount
      && (standing == .answering || count.unproven < limits.perAccount)
      && (standing > .failing || count.failing < limits.failingPerAccount(after: turn.failures))
      && (turn.priority != .drill || count.drills < limits.drillsPerAccount)
    return hasRoom ? nil : .account(account, standing)
  }

  private func bottleneck(
    _ turn: DeliveryTurn, atHost host: HostHealth.Record, _ pair: DeliveryPair
  ) -> DeliveryBottleneck? {
    guard let count = hosts[pair.host] else { return nil }
    // One of each turn may always run: messages that hang, and are tried again without end, keep no other turn waiting.
    if turn.leavesRoom, turns[TurnAtHost(turn: turn, host: pair.host)] == nil { return nil }
    let share = max(1, host.window - 1)
    // What runs beyond its share for that reason takes no room from first messages.
    let running = count.all - max(0, count.repeats - share)
    // A call for help of an account without a running attempt there passes attempts that hang.
    if turn.isFirstHelp, pairs[pair] == nil {
      return running < 4 * host.window ? nil : .callsToHost(pair.host)
    }
    let hasRoom =
      running < host.window
      && (turn.priority != .drill || count.drills < max(1, host.window / 2))
      && (!turn.leavesRoom || count.repeats < share)
    return hasRoom ? nil : .host(pair.host)
  }

  private func bottleneckOfAll(
    _ turn: DeliveryTurn, _ pair: DeliveryPair, _ standing: HostStanding
  ) -> DeliveryBottleneck? {
    let isFirstCall = turn.isFirstHelp && standing > .failing && accounts[pair.account] == nil
    let unproven = isFirstCall ? limits.firstCallsToUnproven : limits.unproven
    let failing = limits.failing(after: turn.failures)
    let isDrill = turn.priority == .drill
    let hasRoom =
      total.all < (isFirstCall ? limits.all : limits.ordinary)
      && (standing == .answering || total.unproven < unproven)
      && (standing > .failing || total.failing < failing && (!turn.isRepeat || retries >= 1))
      && (!isDrill || total.drills < limits.drills)
      && (!turn.leavesRoom || total.repeats < limits.repeats)
    return hasRoom ? nil : .everybody(standing, isFirstCall: isFirstCall)
  }

  private func bottleneckOfOldest(_ pair: DeliveryPair) -> DeliveryBottleneck? {
    if let count = accounts[pair.account], count.all >= limits.perAccount { return .account(pair.account, .unknown) }
    if let count = hosts[pair.host], count.all >= limits.perHost { return .host(pair.host) }
    return total.all < limits.all ? nil : .everybody(.unknown, isFirstCall: false)
  }
}
