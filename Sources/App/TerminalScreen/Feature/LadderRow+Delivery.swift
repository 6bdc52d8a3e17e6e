import FoundationEssentials
import LifeSignalFeatures

extension LadderRow {
  /// The ladder of the active alert, or of the last one. A stage that was not reached says what it waits for.
  static func rows(_ state: ScreenFeature.State, _ clock: ClockText) -> [LadderRow] {
    guard let startTime = state.alert.alertStartTime else { return [] }
    let delivery = state.alert.delivery ?? AlertDelivery(savedAt: startTime)
    let saved = LadderRow(
      delivery.isSaved ? .reached : .failed, LadderTexts.raised,
      delivery.isSaved ? LadderTexts.saved : LadderTexts.inMemory,
      time: clock.time(delivery.savedAt))
    let ended = state.alert.alertEndTime.map { end(at: $0, state, clock) }
    let isHeard = state.auth.isAuthenticated || state.isSessionExpired
    let others = state.alert.snapshot.otherActive.map {
      LadderRow(.waiting, LadderTexts.alsoActive, $0.message ?? LadderTexts.noMessage, time: clock.time($0.startTime))
    }
    return [saved, accepted(delivery, isSignedIn: isHeard, clock)] + others
      + delivery.responders.map { responder($0, notice: "", clock) } + silent(state, delivery)
      + (ended.map { [$0] } ?? []) + delivery.safeNotices.map { responder($0, notice: LadderTexts.safeNow, clock) }
  }

  /// The end: saved here, and whether the server may not know it yet.
  private static func end(at time: Date, _ state: ScreenFeature.State, _ clock: ClockText) -> LadderRow {
    state.isEndUnsent
      ? LadderRow(.waiting, LadderTexts.ended, LadderTexts.endUnsent, time: clock.time(time))
      : LadderRow(.reached, LadderTexts.ended, LadderTexts.saved, time: clock.time(time))
  }

  private static func accepted(_ delivery: AlertDelivery, isSignedIn: Bool, _ clock: ClockText) -> LadderRow {
    guard delivery.isSaved else { return LadderRow(.waiting, LadderTexts.accepted, LadderTexts.unknown) }
    guard let acceptedAt = delivery.acceptedAt else {
      return LadderRow(.waiting, LadderTexts.accepted, isSignedIn ? LadderTexts.notYet : LadderTexts.nobodySignedIn)
    }
    let late = delivery.isLate ? LadderTexts.late(clock.short(delivery.calledAt)) : ""
    return LadderRow(.reached, LadderTexts.accepted, LadderTexts.byServer + late, time: clock.time(acceptedAt))
  }

  private static func responder(_ delivery: ResponderDelivery, notice: String, _ clock: ClockText) -> LadderRow {
    let reason = delivery.reason.map { ": \($0)" } ?? ""
    let (mark, text): (Mark, String) =
      switch delivery.state {
      case .queued: (.waiting, LadderTexts.queued(delivery.channel, reason))
      case .sent: (.reached, LadderTexts.sent(delivery.channel))
      case .seen: (delivery.reason == nil ? .reached : .waiting, LadderTexts.seen + reason)
      case .acknowledged: (.responding, LadderTexts.responding(delivery.reason))
      case .failed where delivery.channel == Channel.Kind.noChannel.rawValue:
        (.failed, LadderTexts.noWay(delivery.name))
      case .failed: (.failed, LadderTexts.failed(delivery.channel, reason))
      }
    return LadderRow(mark, delivery.name, notice + text, time: clock.time(delivery.at))
  }

  /// While the alert is active: responders of whom the server has said nothing, and a warning if there are none.
  private static func silent(_ state: ScreenFeature.State, _ delivery: AlertDelivery) -> [LadderRow] {
    guard state.alert.isAlertActive, let responders = state.responders else { return [] }
    let isAccepted = delivery.acceptedAt != nil
    guard !responders.isEmpty || !delivery.responders.isEmpty else {
      return [
        LadderRow(.failed, LadderTexts.responders, LadderTexts.noResponders)
      ]
    }
    let told = Set(delivery.responders.map(\.name))
    return responders.filter { !told.contains($0) }.map {
      LadderRow(.waiting, $0, isAccepted ? LadderTexts.waitingForServer : LadderTexts.notTold)
    }
  }
}
