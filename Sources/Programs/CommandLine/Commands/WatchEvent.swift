import LocalStore
import Model
import Wire

/// An event that gets a line while the worker runs.
enum WatchEvent: Equatable {
  case connected(Timestamp)
  case disconnected(reason: String, kind: String?, nextAttemptAt: Timestamp?)
  case raised(Alert)
  case accepted(Alert, at: Timestamp?)
  case ended(Alert)
  case receipt(Receipt, isDrill: Bool = false)
  case parked(Int)
  /// The server was not heard from for long, though an alert is active.
  case silent(since: Timestamp?)
  case heardAgain

  /// The events between two readings of the store. The first reading gives only what a person has to know at once.
  static func between(_ before: AlertStatus?, _ after: AlertStatus) -> [WatchEvent] {
    connection(before?.sync, after.sync) + alert(before, after) + receipts(before, after)
      + (after.sync.parked > before?.sync.parked ?? 0 ? [.parked(after.sync.parked)] : [])
  }

  private static func connection(_ before: SyncOverview?, _ after: SyncOverview) -> [WatchEvent] {
    guard let before else { return [] }
    if let error = after.lastError {
      let isNew = before.lastError != error || before.nextAttemptAt != after.nextAttemptAt
      return isNew
        ? [.disconnected(reason: error, kind: after.lastErrorKind, nextAttemptAt: after.nextAttemptAt)] : []
    }
    guard let lastSuccessAt = after.lastSuccessAt, before.lastSuccessAt != lastSuccessAt else { return [] }
    return before.lastError != nil || before.lastSuccessAt == nil ? [.connected(lastSuccessAt)] : []
  }

  private static func alert(_ before: AlertStatus?, _ after: AlertStatus) -> [WatchEvent] {
    guard let alert = after.alert else { return [] }
    let known = before?.activeAlerts.map(\.id) ?? []
    let others = after.otherActive.map(\.alert).filter { !known.contains($0.id) }.map { WatchEvent.raised($0) }
    guard before?.alert?.id == alert.id else {
      let gone = before?.over(in: after).map { WatchEvent.ended($0) } ?? []
      guard alert.isActive, !known.contains(alert.id) else { return gone + others }
      return gone + [.raised(alert)] + (after.stage == .accepted ? [.accepted(alert, at: after.acceptedAt)] : [])
        + others
    }
    let isAccepted = before?.stage != .accepted && after.stage == .accepted
    return (isAccepted ? [.accepted(alert, at: after.acceptedAt)] : [])
      + (before?.over(in: after) ?? []).map { .ended($0.id == alert.id ? alert : $0) } + others
  }

  private static func receipts(_ before: AlertStatus?, _ after: AlertStatus) -> [WatchEvent] {
    guard let alert = after.alert, before != nil || alert.isActive else { return [] }
    let known = (before?.responders ?? []) + (before?.safeReceipts ?? [])
    return (after.responders + after.safeReceipts).filter { !known.contains($0) }.map {
      .receipt($0, isDrill: alert.isDrill)
    }
  }
}

extension AlertStatus {
  /// The active alerts that are known: the one that is shown, and the others.
  var activeAlerts: [Alert] { (alert?.isActive == true ? [alert].compactMap(\.self) : []) + otherActive.map(\.alert) }

  func isActive(_ id: AlertID) -> Bool { activeAlerts.contains { $0.id == id } }

  /// Its active alerts that are not in a later status any more. A drill is not shown beside an alert, and may still be active.
  fileprivate func over(in later: AlertStatus) -> [Alert] {
    let active = later.activeAlerts
    return activeAlerts.filter { alert in
      !active.contains { $0.id == alert.id } && (!alert.isDrill || active.allSatisfy(\.isDrill))
    }
  }
}

extension WatchEvent {
  /// Whether a responder answered.
  var isAnswer: Bool { if case .receipt(let receipt, _) = self { receipt.isAnswer } else { false } }

  func text(_ time: LocalTime, _ console: Console) -> String {
    switch self {
    case .connected: return console.styled(.good, SyncTexts.connected)
    case .disconnected(let reason, _, let nextAttemptAt):
      let next = nextAttemptAt.flatMap { $0 > time.now ? time.text($0) : nil }
      return SyncTexts.disconnected(reason.printable, next: next, console)
    case .raised(let alert): return SyncTexts.isActive(isDrill: alert.isDrill, time.text(alert.startedAt))
    case .accepted(let alert, let at):
      let started = time.text(alert.startedAt)
      return SyncTexts.accepted(isDrill: alert.isDrill, started, at: at.map(time.text))
    case .ended(let alert): return SyncTexts.ended(isDrill: alert.isDrill, time.text(alert.startedAt))
    case .receipt(let receipt, let isDrill):
      if receipt.state == .acknowledged, receipt.notice == .activated {
        return DeliveryTexts.isResponding(
          receipt.contactName.printable, time.text(receipt.at), receipt.reason?.printable, console)
      }
      let safe = receipt.notice == .deactivated ? DeliveryTexts.safeNow(isDrill: isDrill) : ""
      return "\(receipt.contactName.printable): \(safe)\(ReceiptText.text(receipt, time, console))"
    case .parked(let count): return SyncTexts.parkedEvent(count, console)
    case .silent(let since): return DeliveryTexts.silent(since: since.map(time.text), console)
    case .heardAgain: return console.styled(.good, DeliveryTexts.heardAgain)
    }
  }

  /// `{"event":…,"at":…}` with the event's own members.
  func writeMembers(now: Timestamp, to json: inout JSONWriter) {
    json.member("event", name)
    json.member("at", now.description)
    switch self {
    case .connected: break
    case .disconnected(let reason, let kind, let nextAttemptAt):
      json.member("error", reason)
      json.member("error_kind", kind)
      json.member("next_attempt_at", nextAttemptAt?.description)
    case .raised(let alert), .ended(let alert): json.member("alert_id", alert.id.description)
    case .accepted(let alert, let at):
      json.member("alert_id", alert.id.description)
      json.member("accepted_at", at?.description)
    case .receipt(let receipt, _):
      json.key("receipt")
      receipt.write(to: &json)
    case .parked(let count): json.member("parked", count)
    case .silent(let since): json.member("since", since?.description)
    case .heardAgain: break
    }
  }

  private var name: String {
    switch self {
    case .connected: "connected"
    case .disconnected: "disconnected"
    case .raised: "raised"
    case .accepted: "accepted"
    case .ended: "ended"
    case .receipt: "receipt"
    case .parked: "parked"
    case .silent: "server_silent"
    case .heardAgain: "server_heard"
    }
  }
}
