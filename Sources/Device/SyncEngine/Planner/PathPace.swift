/// Limits how much one routine exchange carries on the current path, so that it ends soon. A new alert has to wait for it, or
/// at least for its bytes that are already in the network's queues.
///
/// Starts small and grows while exchanges are fast. Otherwise it is set so that an exchange takes at most `goalMilliseconds`
/// longer than the round trip, which is the shortest small exchange.
struct PathPace: Hashable, Sendable {
  private let sizes: ExchangeSizes
  /// The maximum size of a request's body.
  private(set) var maximumBytes = Self.firstBytes
  /// The duration of the shortest small exchange: about one round trip.
  private var baseMilliseconds: Int64?
  /// Bandwidth is the known bottleneck.
  private var isBound = false
  /// The path has answered within 25 ms, and no small exchange took longer since: it has room for an alert beside an exchange,
  /// whose larger ones wait for the server rather than for the path.
  private(set) var isQuick = false
  private var answeredMilliseconds: Int64?
  /// The duration of the last exchange.
  private var lastMilliseconds: Int64?

  private static let firstBytes = 2048
  private static let fewestBytes = 1024
  private static let bytesPerChange = 400
  private static let growth = 4
  /// After a faster exchange the next one may always be larger.
  private static let fastMilliseconds: Int64 = 150
  private static let goalMilliseconds: Int64 = 250
  private static let quickMilliseconds: Int64 = 25
  /// Request plus answer; below this, latency outweighs transfer time.
  private static let fewBytes = 1536
  private static let staleAfterMilliseconds: Int64 = 30_000

  init(_ sizes: ExchangeSizes) { self.sizes = sizes }

  /// The sizes of an answered exchange. Nil is unknown and counts as large.
  struct Load: Hashable, Sendable {
    var sentBytes: Int?
    var receivedBytes: Int?
    var changes: Int?
  }

  /// The maximum number of changes in an answer. Also bounded by the time to apply them, because an alert waits for the store.
  var maximumChanges: Int { min(max(2, maximumBytes / Self.bytesPerChange), sizes.items) }

  /// Exchanges are as large as they ever are.
  var isFull: Bool { maximumBytes == sizes.bytes }

  /// The minimum age of a call before an emergency preempts it. Cancelling a call that is nearly done costs a new connection,
  /// which takes longer.
  var preemptDelayMilliseconds: Int64 {
    let usual = max((baseMilliseconds ?? 0) * 3 / 2, (lastMilliseconds ?? 0) * 5 / 4)
    return min(max(usual, PlannerTimes.shortestPreemptDelay), PlannerTimes.longestPreemptDelay)
  }

  mutating func answered(after milliseconds: Int64, _ load: Load, now: Int64) {
    answeredMilliseconds = now
    lastMilliseconds = milliseconds
    let used = max(
      load.sentBytes.map { Double($0) / Double(maximumBytes) } ?? 1,
      load.changes.map { Double($0) / Double(maximumChanges) } ?? 1)
    let isSmall = (load.sentBytes ?? Self.fewBytes) + (load.receivedBytes ?? Self.fewBytes) <= Self.fewBytes
    if isSmall { note(base: milliseconds) }
    if milliseconds <= Self.quickMilliseconds { isQuick = true } else if isSmall { isQuick = false }
    // A half-empty exchange does not tell how long a larger one would take.
    let mayGrow = used >= 0.5
    if milliseconds <= Self.fastMilliseconds || isSmall && !isBound {
      if mayGrow { set(maximumBytes * Self.growth) }
    } else if !isSmall {
      isBound = true
      let beyondBase = max(1, milliseconds - (baseMilliseconds ?? 0))
      let next = Double(maximumBytes) * used * Double(Self.goalMilliseconds) / Double(beyondBase)
      set(Int(min(next, Double(mayGrow ? maximumBytes * Self.growth : maximumBytes))))
    }
  }

  private mutating func note(base milliseconds: Int64) {
    // The path may have high latency rather than low bandwidth.
    if let baseMilliseconds, milliseconds * 5 >= baseMilliseconds * 4 {
      self.baseMilliseconds = min(baseMilliseconds, milliseconds)
    } else {
      baseMilliseconds = milliseconds
      isBound = false
    }
  }

  /// Shrinks the limit after an exchange timed out or was preempted.
  mutating func shrink() {
    isBound = true
    isQuick = false
    set(maximumBytes / 2)
  }

  private mutating func set(_ bytes: Int) {
    maximumBytes = min(max(bytes, Self.fewestBytes), sizes.bytes)
  }

  /// Resets the measurements when the path has been idle for a while: it may be a different path.
  mutating func forgetWhenStale(now: Int64) {
    guard let answeredMilliseconds, now - answeredMilliseconds > Self.staleAfterMilliseconds else { return }
    self = Self(sizes)
  }
}
