import Foundation
import LifeSignalFeatures

extension LadderRow {
  /// The ladder of the alert that is active, or of the last one. A rung that was not reached says what it waits for.
  static func rows(_ state: ScreenFeature.State, _ clock: ClockText) -> [LadderRow] {
    guard let startTime = state.alert.alertStartTime else { return [] }
    let delivery = state.alert.delivery ?? AlertDelivery(savedAt: startTime)
    let saved = LadderRow(
      delivery.isSaved ? .reached : .failed, "raised",
      delivery.isSaved ? "saved here" : "NOT saved here: in memory only",
      time: clock.time(delivery.savedAt))
    let ended = state.alert.alertEndTime.map { end(at: $0, state, clock) }
    let isHeard = state.auth.isAuthenticated || state.isSessionExpired
    return [saved, accepted(delivery, isSignedIn: isHeard, clock)]
      + delivery.responders.map { responder($0, notice: "", clock) } + silent(state, delivery)
      + (ended.map { [$0] } ?? []) + delivery.safeNotices.map { responder($0, notice: "“safe now” ", clock) }
  }

  /// Saved here wherever it was ended; whether the server knows is shown by what waits, or by what it says to responders.
  private static func end(at time: Date, _ state: ScreenFeature.State, _ clock: ClockText) -> LadderRow {
    state.isEndUnsent
      ? LadderRow(.waiting, "ended", "saved here, not told to the server yet", time: clock.time(time))
      : LadderRow(.reached, "ended", "saved here", time: clock.time(time))
  }

  private static func accepted(_ delivery: AlertDelivery, isSignedIn: Bool, _ clock: ClockText) -> LadderRow {
    guard delivery.isSaved else { return LadderRow(.waiting, "accepted", "not known here") }
    guard let acceptedAt = delivery.acceptedAt else {
      return LadderRow(.waiting, "accepted", isSignedIn ? "not yet" : "not yet: nobody is signed in")
    }
    let late = delivery.isLate ? ", late: raised \(clock.short(delivery.savedAt))" : ""
    return LadderRow(.reached, "accepted", "by the server" + late, time: clock.time(acceptedAt))
  }

  private static func responder(_ delivery: ResponderDelivery, notice: String, _ clock: ClockText) -> LadderRow {
    let reason = delivery.reason.map { ": \($0)" } ?? ""
    let (mark, text): (Mark, String) =
      switch delivery.state {
      case .queued: (.waiting, "waiting to be sent by \(delivery.channel)\(reason)")
      case .sent: (.reached, "sent by \(delivery.channel)")
      case .seen: (.reached, "seen")
      case .acknowledged: (.responding, "IS RESPONDING")
      case .failed: (.failed, "FAILED by \(delivery.channel)\(reason)")
      }
    return LadderRow(mark, delivery.name, notice + text, time: clock.time(delivery.at))
  }

  /// The responders of whom the server has said nothing, while the alert is active; and a warning where there are none.
  private static func silent(_ state: ScreenFeature.State, _ delivery: AlertDelivery) -> [LadderRow] {
    guard state.alert.isAlertActive, let responders = state.responders else { return [] }
    let isAccepted = delivery.acceptedAt != nil
    guard !responders.isEmpty || !delivery.responders.isEmpty else {
      return [
        LadderRow(
          .failed, "responders", "NONE: nobody is told. lifesignal contacts add PHONE --responder --channel URL")
      ]
    }
    let told = Set(delivery.responders.map(\.name))
    return responders.filter { !told.contains($0) }.map {
      LadderRow(.waiting, $0, isAccepted ? "waiting for the server" : "not told yet")
    }
  }
}
