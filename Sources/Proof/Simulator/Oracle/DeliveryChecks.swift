import Model
import ServerCore

/// Checks that the responders were told of each alert and of its end as requested, or that a receipt says why not (I5).
///
/// Covers contacts that have not changed since before the alert, and contacts added while it was active. Messages about a drill
/// or an end wait while the person has another active alert.
struct DeliveryChecks {
  let server: ServerModel
  let held: ServerView
  let responders: ResponderLog

  var matters: [OpenMatter] {
    var matters: [OpenMatter] = []
    for account in server.accountIDs {
      let model = server[account]
      let contacts = model.contactsByID.filter(\.details.isResponder)
      let isCalling = model.alerts.values.contains(where: \.isCall)
      for id in model.alertIDs {
        guard let alert = model.alerts[id], let notifiedAt = alert.notifiedAt, alert.isCall || !isCalling else {
          continue
        }
        for contact in contacts {
          let changedAt = model.contacts[contact.id]?.changedAt ?? 0
          guard changedAt < notifiedAt || changedAt < alert.endedAt ?? .max, !wasRestored(after: changedAt) else {
            continue
          }
          // Those of a later tier are told only if nobody comes: `Vigil` checks when.
          guard alert.alert.isDrill || contact.details.tier == contacts.map(\.details.tier).min() else { continue }
          matters += contact.details.channels.flatMap { self.matters(of: alert, account, contact.id, $0) }
        }
      }
    }
    return matters
  }

  /// To alerts from before a restore, a contact that was offered again afterwards is a new contact.
  private func wasRestored(after step: Int) -> Bool { (server.history.lastRestore ?? -1) > step }

  private func matters(
    of alert: AccountModel.ModelAlert, _ account: AccountID, _ contact: ContactID, _ channel: Channel
  ) -> [OpenMatter] {
    let id = alert.alert.id
    let rows = (held.deliveries[id] ?? []).filter { $0.target.contact == contact && $0.target.channel == channel }
    let name = "\(channel.url) of contact \(contact)"
    guard let last = responders.last(id, on: channel.url) else {
      return matter(
        of: rows.last { $0.notice == .activated && $0.role == .news }, "\(name) has not been told of alert \(id)")
    }
    if alert.isActive {
      return lastWord(alert, last, rows, name) + lastWordOfAll(alert, account, rows, channel, name)
    }
    guard last.kind == .help, alert.endNotifiedAt != nil else { return [] }
    return matter(
      of: rows.last { $0.notice == .deactivated }, "\(name) has not been told that alert \(id) is over")
  }

  /// While the alert is active, the newest message is "help", with the newest words, and the newest place that a call told or a later one.
  private func lastWord(
    _ alert: AccountModel.ModelAlert, _ last: ResponderMessage, _ rows: [StoredDelivery], _ name: String
  ) -> [OpenMatter] {
    let id = alert.alert.id
    let row = rows.last { $0.notice == .activated && $0.role == .news }
    if last.kind == .safe {
      return matter(of: row, "\(name) was last told that alert \(id) is over, and it is active", .lastWord)
    }
    let places = alert.newestLocations.map { "\($0.latitude),\($0.longitude)" }
    let isPlaceTold = places.isEmpty || places.contains(where: last.text.contains)
    guard
      let untold = alert.newestMessage.flatMap({ last.text.contains($0) ? nil : $0 }) ?? (isPlaceTold ? nil : places[0])
    else { return [] }
    return matter(of: row, "\(name) was not told “\(untold)”, the newest word in alert \(id)", .lastWord)
  }

  /// The newest message on the channel may not be of another alert's end, or of a drill.
  private func lastWordOfAll(
    _ alert: AccountModel.ModelAlert, _ account: AccountID, _ rows: [StoredDelivery], _ channel: Channel, _ name: String
  ) -> [OpenMatter] {
    guard alert.isCall, let last = responders.last(of: account, on: channel.url), last.alert != alert.alert.id else {
      return []
    }
    let isDrill = server[account].alerts[last.alert]?.alert.isDrill == true
    guard last.kind == .safe || isDrill else { return [] }
    let said = isDrill ? "of drill \(last.alert)" : "that alert \(last.alert) is over"
    return matter(
      of: rows.last { $0.notice == .activated && $0.role == .news },
      "\(name) was last told \(said), while alert \(alert.alert.id) is active", .lastWord)
  }

  /// A receipt with a reason is as good as a message.
  private func matter(
    of row: StoredDelivery?, _ text: String, _ promise: Violation.Promise = .nothingLost
  ) -> [OpenMatter] {
    guard let row else { return [OpenMatter(promise, "\(text), and no message is queued")] }
    if row.state == .failed, row.reason?.isEmpty == false { return [] }
    // They know of it: `PressChecks` checks that they pressed.
    if row.notice == .activated, row.state == .acknowledged || row.state == .seen { return [] }
    let reason = row.reason.map { ": \($0)" } ?? ""
    return [OpenMatter(promise, "\(text); the message is \(row.state.rawValue)\(reason)")]
  }
}
