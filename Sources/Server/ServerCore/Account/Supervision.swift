import Model

/// The watch over the device of somebody in danger.
enum Supervision {
  /// A longer silence is told. A device with an active alert is heard from at least every 30 s.
  static let silenceMilliseconds: Int64 = 90_000

  /// When the raising device was last heard from, where that is too long ago.
  static func noContactSince(_ alert: StoredAlert, lastContactAt: Timestamp?, now: Timestamp) -> Timestamp? {
    guard alert.record.alert.isActive else { return nil }
    let last = lastContactAt ?? alert.record.receivedAt
    return now.milliseconds(since: last) > silenceMilliseconds ? last : nil
  }

  /// When a device that was heard from at `last` and not since counts as silent, or now where that is past. One that was heard from in the
  /// future, before the clock was set back, is checked again no later than one that is heard from now.
  static func silenceDueAt(lastContactAt last: Timestamp, now: Timestamp) -> Timestamp {
    max(min(last, now).advanced(byMilliseconds: silenceMilliseconds + 1), now)
  }
}

// What inboxes say of a device's silence. They hold copies, so it is checked when it may have begun, and noted in the alert. A device that
// goes on speaking costs a check every 90 s, whatever it exchanges.
extension AccountWork {
  /// The alert stands in an inbox now: its device is checked for silence until its end.
  mutating func watch(over alert: StoredAlert) {
    guard alert.record.alert.isActive, alert.silenceDueAt == nil, alert.silentSince == nil else { return }
    let last = state.lastContact(of: alert.device) ?? alert.record.receivedAt
    let dueAt = Supervision.silenceDueAt(lastContactAt: last, now: now)
    state.setSilence(since: nil, dueAt: dueAt, of: alert.id)
  }

  /// The check that is due.
  mutating func checkForSilence(about id: AlertID) {
    guard let alert = state.alert(id) else { return }
    guard alert.record.alert.isActive else { return state.setSilence(since: nil, dueAt: nil, of: id) }
    let last = state.lastContact(of: alert.device)
    if let since = Supervision.noContactSince(alert, lastContactAt: last, now: now) {
      return state.setSilence(since: since, dueAt: nil, of: id)
    }
    let dueAt = Supervision.silenceDueAt(lastContactAt: last ?? alert.record.receivedAt, now: now)
    state.setSilence(since: nil, dueAt: dueAt, of: id)
  }

  /// The device speaks: what inboxes say of its silence is over.
  mutating func noteContact(with device: DeviceID) {
    for alert in state.silentAlerts(of: device) {
      let dueAt = Supervision.silenceDueAt(lastContactAt: now, now: now)
      state.setSilence(since: nil, dueAt: dueAt, of: alert.id)
    }
  }
}
