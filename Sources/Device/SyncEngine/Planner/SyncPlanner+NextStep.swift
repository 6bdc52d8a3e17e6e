import LocalStore
import Model
import PlantedBugs
import Wire

// Chooses the next call.

extension SyncPlanner {
  enum Step: Hashable {
    case start(Call)
    /// Nothing can start before this time; nil: nothing can start before another event.
    case wait(until: Int64?)
  }

  /// Whether an exchange may start, and with which credentials.
  private enum Permit {
    case granted(usesAlertKey: Bool)
    case afterRefresh
    case later(Int64)
    case never
  }

  /// Whether the path is reserved for an alert. It is also reserved during the alert's backoff, unless the server, not the
  /// path, holds it up.
  func isPathForEmergency(_ situation: Situation) -> Bool {
    situation.emergency.count > 0 && !emergency.yieldsPath && !PlantedBug.emergencyWaitsForRoutine.isPlanted
  }

  /// Priority: emergency, routine, a pull alone (every exchange also pulls), a refresh that only the stream needs.
  func nextStep(_ situation: Situation, now: Int64) -> Step {
    guard endpointCount > 0, situation.credentials != .none else { return .wait(until: nil) }
    if let gate = storeGate.notBeforeMilliseconds, now < gate { return .wait(until: gate) }
    if mode.isWithoutLease, PlantedBug.leaseIsACondition.isPlanted { return .wait(until: nil) }
    if let startedAtMilliseconds, now < startedAtMilliseconds + mode.delayMilliseconds, situation.emergency.count > 0 {
      return .wait(until: startedAtMilliseconds + mode.delayMilliseconds)
    }
    var earliest: Int64?
    for (purpose, due) in candidates(situation, now: now) {
      guard let due else { continue }
      var time = due
      switch permit(purpose, situation, now: now) {
      case .never: continue
      case .later(let later): time = max(due, later)
      case .granted(let usesAlertKey) where due <= now:
        return .start(.exchange(exchange(purpose, usesAlertKey: usesAlertKey)))
      case .afterRefresh where due <= now:
        return .start(.refresh(endpoints.endpoint(isUrgent: situation.isUrgent)))
      case .granted, .afterRefresh: break
      }
      earliest = min(earliest ?? time, time)
    }
    guard !isPathForEmergency(situation), let refresh = refreshAloneTime(situation, now: now) else {
      return .wait(until: earliest)
    }
    if refresh <= now { return .start(.refresh(endpoints.endpoint(isUrgent: situation.isUrgent))) }
    return .wait(until: min(earliest ?? refresh, refresh))
  }

  /// When to refresh the token for no exchange: to open the stream, or to try a refused session again. Nil if that is not needed.
  private func refreshAloneTime(_ situation: Situation, now: Int64) -> Int64? {
    if situation.credentials == .refused { return tokens.notBeforeMilliseconds ?? now }
    guard !mode.isOnce, stream.state == .closed, needsRefresh(situation) else { return nil }
    return max(stream.notBeforeMilliseconds ?? now, tokens.notBeforeMilliseconds ?? now)
  }

  private func candidates(_ situation: Situation, now: Int64) -> [(Exchange.Purpose, due: Int64?)] {
    let lanes = isPathForEmergency(situation) ? [emergency] : [emergency, routine]
    let pushes: [(Exchange.Purpose, due: Int64?)] = lanes.map { lane in
      let purpose: Exchange.Purpose = lane.suspicion == .toProbe ? .probe(lane.lane) : .push(lane.lane)
      return (purpose, lane.dueMilliseconds(situation.lane(lane.lane), now: now))
    }
    guard lanes.count > 1 else { return pushes }
    return pushes + [(.pull(isUrgent: situation.hasActiveAlert), pullDue(situation, now: now))]
  }

  private func pullDue(_ situation: Situation, now: Int64) -> Int64? {
    let due = pull.dueMilliseconds(
      hasSession: situation.hasSession,
      isSupervised: situation.hasActiveAlert && !mode.isOnce,
      isPolled: !stream.isOpen && !stream.isAwaited && !mode.isOnce,
      missedSinceMilliseconds: stream.missedSinceMilliseconds,
      now: now
    )
    guard let due, pull.failures > 0, !PlantedBug.retryWithoutBackoff.isPlanted else { return due }
    let budget = situation.hasActiveAlert ? emergency.budget : routine.budget
    return max(due, budget.nextTokenMilliseconds(now: now))
  }

  private func permit(_ purpose: Exchange.Purpose, _ situation: Situation, now: Int64) -> Permit {
    switch situation.credentials {
    case .none: return .never
    case .alertKey, .refused: return purpose.isForAlertKey ? .granted(usesAlertKey: true) : .never
    case .session:
      guard needsRefresh(situation) else { return .granted(usesAlertKey: false) }
      // An alert does not wait for a refresh that it does not need.
      if purpose.pushedLane == .emergency, !isAlertKeyRefused { return .granted(usesAlertKey: true) }
      if let notBefore = tokens.notBeforeMilliseconds, now < notBefore { return .later(notBefore) }
      return .afterRefresh
    }
  }

  func needsRefresh(_ situation: Situation) -> Bool {
    guard case .session(let expiresAt) = situation.credentials else { return false }
    return tokens.needsRefresh(expiresAt: expiresAt, serverNow: situation.serverNow)
  }

  private func exchange(_ purpose: Exchange.Purpose, usesAlertKey: Bool) -> Exchange {
    let lane = purpose.lane
    var limits = self[lane].limits
    if lane == .routine, !PlantedBug.emergencyWaitsForRoutine.isPlanted {
      limits.maximumBytes = min(limits.maximumBytes, pace.maximumBytes)
    }
    return Exchange(
      purpose: purpose,
      endpoint: endpoints.endpoint(isUrgent: lane == .emergency),
      usesAlertKey: usesAlertKey,
      limits: limits,
      changeLimit: purpose.pushedLane == .emergency ? 1 : min(pace.maximumChanges, pull.failures > 0 ? 50 : .max)
    )
  }
}

extension Exchange.Purpose {
  /// An alert key may push alerts and report that the device is alive.
  var isForAlertKey: Bool {
    switch self {
    case .push(let lane), .probe(let lane): lane == .emergency
    case .pull(let isUrgent): isUrgent
    }
  }
}
