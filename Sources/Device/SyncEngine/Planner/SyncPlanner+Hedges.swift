import Model
import PlantedBugs

// A second attempt of an emergency on a fresh connection, while the first is under way. It carries the same bytes under the
// same ids, so the server applies whichever arrives first and answers the other as a duplicate. The first answer wins.
//
// One extra attempt is in flight at most, each waits twice as long as the one before, and a path that moves bytes is left
// alone: on a slow link a copy would only take the room of the first. When the first attempt's time is over, a silent one ends
// the call: what was raised meanwhile waits for it.

extension SyncPlanner {
  enum HedgeTimes {
    /// Nothing at all has come from the peer since the attempt began: a dead connection, or an address that leads nowhere.
    static let silence: Int64 = 3000
    /// The peer has been heard on this attempt, and then no more. Longer than a full packet takes at 2 kbit/s.
    static let silenceAfterSign: Int64 = 12_000
    /// After a change of the route, a new attempt follows no sooner than this after the one before.
    static let shortestGap: Int64 = 1000
    static let mostDoublings = 3
  }

  /// When the emergency in flight is to be sent once more; nil: it need not be.
  func hedgeTime(_ inFlight: CallInFlight) -> Int64? {
    guard inFlight.call.exchange?.isEmergency == true, !inFlight.isDoubtful else { return nil }
    if PlantedBug.deadConnectionIsWaitedFor.isPlanted { return nil }
    let gap = HedgeTimes.silence << Int64(min(inFlight.hedges, HedgeTimes.mostDoublings))
    let sign = inFlight.lastSignMilliseconds ?? .min
    var time = max(silenceEnd(inFlight), max(sign, inFlight.latestAttemptMilliseconds) + gap)
    if let changedAt = inFlight.routeChangedMilliseconds, sign <= changedAt {
      let shortest = inFlight.attempts > 1 ? gap : HedgeTimes.shortestGap
      time = min(time, max(changedAt, inFlight.latestAttemptMilliseconds + shortest))
    }
    let latest = inFlight.startedAtMilliseconds + Int64(limits(of: inFlight.call).totalTimeoutMilliseconds)
    return time < latest ? time : nil
  }

  /// When the emergency in flight has met with silence, if nothing more is heard.
  func silenceEnd(_ inFlight: CallInFlight) -> Int64 {
    let sign = inFlight.lastSignMilliseconds ?? .min
    guard sign > inFlight.latestAttemptMilliseconds else {
      return inFlight.latestAttemptMilliseconds + HedgeTimes.silence
    }
    return sign + HedgeTimes.silenceAfterSign
  }

  /// Starts the extra attempt that is due, in place of the newest where there are two.
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
    let latest = max(call?.lastSignMilliseconds ?? .min, time)
    call?.lastSignMilliseconds = latest
  }

  mutating func attemptFailed() {
    guard let inFlight = call, inFlight.attempts > 1 else { return }
    call?.attempts -= 1
  }
}
