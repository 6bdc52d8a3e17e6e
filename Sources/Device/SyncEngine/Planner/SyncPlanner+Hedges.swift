import Model
import PlantedBugs

// Hedged requests: a second attempt of an emergency on a fresh connection while the first is in flight. It carries the same
// bytes under the same ids, so the server applies the first to arrive and answers the other as a duplicate. The first answer
// wins.
//
// At most one extra attempt is in flight, and each waits twice as long as the one before. A path that moves bytes gets none:
// on a slow link a copy would only compete with the first. After the first attempt's timeout, silence on the extra one ends
// the call, because newer alerts wait for it.

extension SyncPlanner {
  enum HedgeTimes {
    /// The limit without any byte from the peer since the attempt began: a dead connection, or an address that does not answer.
    static let silence: Int64 = 3000
    /// The limit after the peer was last heard on this attempt. Longer than a full packet takes at 2 kbit/s.
    static let silenceAfterHeard: Int64 = 12_000
    /// The minimum time between attempts after the route changed.
    static let shortestGap: Int64 = 1000
    static let mostDoublings = 3
  }

  /// When to send the emergency in flight again; nil if it need not be.
  func hedgeTime(_ inFlight: CallInFlight) -> Int64? {
    guard inFlight.call.exchange?.isEmergency == true, !inFlight.isStale else { return nil }
    if PlantedBug.deadConnectionIsWaitedFor.isPlanted { return nil }
    let gap = HedgeTimes.silence << Int64(min(inFlight.hedges, HedgeTimes.mostDoublings))
    let lastHeard = inFlight.lastHeardMilliseconds ?? .min
    var time = max(silenceEnd(inFlight), max(lastHeard, inFlight.latestAttemptMilliseconds) + gap)
    if let changedAt = inFlight.routeChangedMilliseconds, lastHeard <= changedAt {
      // One of two attempts may go on over the address that it has: it is replaced where it does not.
      let (shortest, since) =
        inFlight.attempts > 1
        ? (gap, changedAt + HedgeTimes.shortestGap) : (HedgeTimes.shortestGap, changedAt)
      time = min(time, max(since, inFlight.latestAttemptMilliseconds + shortest))
    }
    let latest = inFlight.startedAtMilliseconds + Int64(limits(of: inFlight.call).totalTimeoutMilliseconds)
    return time < latest ? time : nil
  }

  /// When the emergency in flight counts as silent, unless the peer is heard before.
  func silenceEnd(_ inFlight: CallInFlight) -> Int64 {
    let lastHeard = inFlight.lastHeardMilliseconds ?? .min
    guard lastHeard > inFlight.latestAttemptMilliseconds else {
      return inFlight.latestAttemptMilliseconds + HedgeTimes.silence
    }
    return lastHeard + HedgeTimes.silenceAfterHeard
  }

  /// Starts an extra attempt that is due; it replaces the newest if there are two.
  mutating func hedge(now: Int64) -> [PlannerAction] {
    guard let inFlight = call, let time = hedgeTime(inFlight), time <= now else { return [] }
    call?.attempts = 2
    call?.hedges += 1
    call?.latestAttemptMilliseconds = now
    call?.routeChangedMilliseconds = nil
    return [.startAttempt(replacesNewest: inFlight.attempts > 1)]
  }

  /// The peer of an attempt was last heard at `time`.
  mutating func progressed(at time: Int64) {
    let latest = max(call?.lastHeardMilliseconds ?? .min, time)
    call?.lastHeardMilliseconds = latest
  }

  mutating func attemptFailed() {
    guard let inFlight = call, inFlight.attempts > 1 else { return }
    call?.attempts -= 1
  }
}
