import Wire

/// How much one routine exchange may carry on the present path, so that it is over soon: an alert that is raised meanwhile
/// waits for it, or for the bytes of it that are already in the network's queues.
///
/// Starts small, grows fast while exchanges are fast, and shrinks where one takes clearly longer than the shortest did.
struct PathPace: Hashable, Sendable {
  private(set) var maximumBytes = Self.firstBytes
  private(set) var maximumChanges = Self.firstChanges
  /// The shortest exchange so far on this path.
  private(set) var shortestMilliseconds: Int64?

  private var answeredMilliseconds: Int64?

  private static let staleAfterMilliseconds: Int64 = 30_000
  private static let firstBytes = 4096
  private static let smallestBytes = 1024
  private static let largestBytes = 512 << 10
  private static let firstChanges = 20
  private static let smallestChanges = 2
  private static let growth = 4
  private static let fastMilliseconds: Int64 = 250
  private static let slowMilliseconds: Int64 = 400

  /// How long an exchange may take before the next one has to be smaller.
  private var goal: Int64 { max(Self.slowMilliseconds, (shortestMilliseconds ?? 0) * 3 / 2 + 100) }

  /// How old a call has to be until an emergency stops waiting for it: to cancel one that is nearly over costs a new
  /// connection, which takes longer.
  var patienceMilliseconds: Int64 {
    guard let shortestMilliseconds else { return PlannerTimes.shortestPatience }
    let usual = shortestMilliseconds * 3 / 2 + 100
    return min(max(usual, PlannerTimes.shortestPatience), PlannerTimes.longestPatience)
  }

  /// An exchange was answered.
  ///
  /// - Parameters:
  ///   - bytes: what it sent, and `changes`: what it brought. nil: as much as it might.
  mutating func answered(after milliseconds: Int64, isRoutine: Bool, bytes: Int?, changes: Int?, now: Int64) {
    shortestMilliseconds = min(shortestMilliseconds ?? milliseconds, milliseconds)
    answeredMilliseconds = now
    guard isRoutine else { return }
    if milliseconds <= max(Self.fastMilliseconds, (shortestMilliseconds ?? 0) * 5 / 4) {
      // One that had room left says nothing of what a larger one would take.
      if 2 * (bytes ?? maximumBytes) >= maximumBytes {
        maximumBytes = min(Self.largestBytes, maximumBytes * Self.growth)
      }
      if 2 * (changes ?? maximumChanges) >= maximumChanges {
        maximumChanges = min(SyncLimits.maximumChanges, maximumChanges * Self.growth)
      }
    } else if milliseconds > goal {
      shrink(bytes: bytes, changes: changes)
    }
  }

  /// One was cancelled because it took too long, or timed out, or was slow.
  mutating func shrink(bytes: Int? = nil, changes: Int? = nil) {
    maximumBytes = max(Self.smallestBytes, min(bytes.map { max($0, Self.firstBytes) } ?? .max, maximumBytes) / 2)
    maximumChanges = max(
      Self.smallestChanges, min(changes.map { max($0, Self.firstChanges) } ?? .max, maximumChanges) / 2)
  }

  /// A path of which nothing was heard for a while may be another one: it is measured anew.
  mutating func forgetWhenStale(now: Int64) {
    guard let answeredMilliseconds, now - answeredMilliseconds > Self.staleAfterMilliseconds else { return }
    self = Self()
  }
}
