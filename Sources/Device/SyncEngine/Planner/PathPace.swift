/// How much one routine exchange may carry on the present path, so that it is over soon: an alert that is raised meanwhile
/// waits for it, or for the bytes of it that are already in the network's queues.
///
/// Starts small. While exchanges are fast it grows; else it is set so that what an exchange takes beyond the shortest small
/// one, the round trip, stays within `goalMilliseconds`.
struct PathPace: Hashable, Sendable {
  /// Of a request's body.
  private(set) var maximumBytes = Self.firstBytes
  /// The shortest exchange of few bytes: a round trip, more or less.
  private var baseMilliseconds: Int64?
  /// Bandwidth is known to be what bounds it.
  private var isBound = false
  private var answeredMilliseconds: Int64?
  /// What the last exchange took.
  private var lastMilliseconds: Int64?

  private static let firstBytes = 2048
  private static let byteRange = 1024...512 << 10
  private static let bytesPerChange = 400
  private static let mostChanges = 250
  private static let growth = 4
  /// An exchange that was over sooner may always be followed by a larger one.
  private static let fastMilliseconds: Int64 = 150
  private static let goalMilliseconds: Int64 = 250
  /// Request and answer together, so few that their bytes take less than the way.
  private static let fewBytes = 1536
  private static let staleAfterMilliseconds: Int64 = 30_000

  /// An exchange that was answered. What is nil is not known, and counts as much.
  struct Load: Hashable, Sendable {
    var sentBytes: Int?
    var receivedBytes: Int?
    var changes: Int?
  }

  /// How many changes an answer may bring: also no more than are taken in soon, since an alert waits for the store meanwhile.
  var maximumChanges: Int { min(max(2, maximumBytes / Self.bytesPerChange), Self.mostChanges) }

  /// How old a call has to be until an emergency stops waiting for it: to cancel one that is nearly over costs a new
  /// connection, which takes longer.
  var patienceMilliseconds: Int64 {
    let usual = max((baseMilliseconds ?? 0) * 3 / 2, (lastMilliseconds ?? 0) * 5 / 4)
    return min(max(usual, PlannerTimes.shortestPatience), PlannerTimes.longestPatience)
  }

  mutating func answered(after milliseconds: Int64, _ load: Load, now: Int64) {
    answeredMilliseconds = now
    lastMilliseconds = milliseconds
    let used = max(
      load.sentBytes.map { Double($0) / Double(maximumBytes) } ?? 1,
      load.changes.map { Double($0) / Double(maximumChanges) } ?? 1)
    let isSmall = (load.sentBytes ?? Self.fewBytes) + (load.receivedBytes ?? Self.fewBytes) <= Self.fewBytes
    if isSmall { note(base: milliseconds) }
    // One that had room left says nothing of what a larger one would take.
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
    // What was taken for slow may have been far.
    if let baseMilliseconds, milliseconds * 5 >= baseMilliseconds * 4 {
      self.baseMilliseconds = min(baseMilliseconds, milliseconds)
    } else {
      baseMilliseconds = milliseconds
      isBound = false
    }
  }

  /// One was cancelled because it took too long, or timed out.
  mutating func shrink() {
    isBound = true
    set(maximumBytes / 2)
  }

  private mutating func set(_ bytes: Int) {
    maximumBytes = min(max(bytes, Self.byteRange.lowerBound), Self.byteRange.upperBound)
  }

  /// A path of which nothing was heard for a while may be another one: it is measured anew.
  mutating func forgetWhenStale(now: Int64) {
    guard let answeredMilliseconds, now - answeredMilliseconds > Self.staleAfterMilliseconds else { return }
    self = Self()
  }
}
