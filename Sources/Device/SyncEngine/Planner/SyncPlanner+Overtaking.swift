import Model

// Overtaking: an alert is sent at once, on a connection of its own, beside a routine exchange in flight.
//
// Only on a path where a whole exchange was quick, so that a handshake costs little and neither starves the other; elsewhere the
// alert waits for the exchange, whose connection it then uses. What is overtaken is cancelled when its time is over, as if the
// alert waited. The alert goes by the alert key, whose answer fetches nothing: the changes are those of the other exchange.

extension SyncPlanner {
  /// The alert that overtakes the exchange in flight, and when; nil if none does.
  func overtakingStep(_ situation: Situation, now: Int64) -> Step? {
    guard
      letsAlertsOvertake, isPathForEmergency(situation),
      let exchange = call?.call.exchange, !exchange.isEmergency
    else { return nil }
    return nextStep(situation, now: now)
  }

  /// Whether an alert that is raised now would overtake the exchange in flight.
  var letsAlertsOvertake: Bool { pace.isQuick && !isAlertKeyRefused && overtaken == nil }

  /// Whether the answer to the exchange in flight may wait so long, for an alert to go beside it. It may not where the exchange would be given up
  /// for the alert meanwhile.
  func mayHoldAnswer(milliseconds: Int64, now: Int64) -> Bool {
    guard letsAlertsOvertake, let call, call.call.exchange?.isEmergency == false else { return false }
    return now + milliseconds < call.startedAtMilliseconds + pace.preemptDelayMilliseconds
  }

  mutating func overtake(by alert: Exchange, now: Int64) -> PlannerAction {
    var alert = alert
    alert.usesAlertKey = true
    overtaken = call
    begin(.exchange(alert), now: now)
    return .overtake(alert)
  }

  /// When the overtaken exchange is cancelled; nil if there is none.
  var overtakenDeadline: Int64? {
    overtaken.map { $0.startedAtMilliseconds + pace.preemptDelayMilliseconds }
  }

  /// Cancels an overtaken exchange on a stale route, or one whose time is over. It is sent again under the same ids.
  mutating func dropOvertaken(now: Int64) -> [PlannerAction] {
    guard let exchange = overtaken, let overtakenDeadline else { return [] }
    guard exchange.isStale || overtakenDeadline <= now else { return [] }
    if exchange.tookPull { pull.isWanted = true }
    overtaken = nil
    if !exchange.isStale { pace.shrink() }
    return [.cancelOvertaken]
  }

  mutating func overtakenEnded(
    _ outcome: PlannerEvent.ExchangeOutcome, now: Int64, jitter: Double
  ) -> [StoreAction] {
    let alert = call
    (call, overtaken) = (overtaken, nil)
    defer { call = alert }
    return exchangeEnded(outcome, now: now, jitter: jitter)
  }

  /// Ends the call. An exchange that it overtook is the call in flight again.
  mutating func endCall() { (call, overtaken) = (overtaken, nil) }
}
