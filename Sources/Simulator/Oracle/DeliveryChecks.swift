import Model
import ServerCore

/// Whether the responders heard of each alert of which they were to be told, and of its end, or a receipt says why not (I5).
///
/// Of contacts that have been as they are since before the alert, or were added while it was active.
struct DeliveryChecks {
  let server: ServerModel
  let held: ServerView
  let responders: ResponderLog

  var matters: [OpenMatter] {
    var matters: [OpenMatter] = []
    for account in server.accountIDs {
      let model = server[account]
      let contacts = model.contactsByID.filter(\.details.isResponder)
      for id in model.alertIDs {
        guard let alert = model.alerts[id], let notifiedAt = alert.notifiedAt else { continue }
        for contact in contacts {
          let changedAt = model.contacts[contact.id]?.changedAt ?? 0
          guard changedAt < notifiedAt || changedAt < alert.endedAt ?? .max, !wasRestored(after: changedAt) else {
            continue
          }
          matters += contact.details.channels.flatMap { self.matters(of: alert, contact.id, $0) }
        }
      }
    }
    return matters
  }

  /// A contact that was offered again to a restored server is another one to the alerts that came before.
  private func wasRestored(after step: Int) -> Bool { (server.history.lastRestore ?? -1) > step }

  private func matters(of alert: AccountModel.ModelAlert, _ contact: ContactID, _ channel: Channel) -> [OpenMatter] {
    let id = alert.alert.id
    let rows = (held.deliveries[id] ?? []).filter { $0.target.contact == contact && $0.target.channel == channel }
    let name = "\(channel.url) of contact \(contact)"
    guard let last = responders.last(id, on: channel.url) else {
      return matter(of: rows.first { $0.notice == .activated }, "\(name) has not been told of alert \(id)")
    }
    guard last == .help, !alert.alert.isActive, alert.endNotifiedAt != nil else { return [] }
    return matter(
      of: rows.first { $0.notice == .deactivated }, "\(name) has not been told that alert \(id) is over")
  }

  /// A receipt that says why is as good as a message.
  private func matter(of row: StoredDelivery?, _ text: String) -> [OpenMatter] {
    guard let row else { return [OpenMatter(.nothingLost, "\(text), and is not to be")] }
    if row.state == .failed, row.reason?.isEmpty == false { return [] }
    let reason = row.reason.map { ": \($0)" } ?? ""
    return [OpenMatter(.nothingLost, "\(text); the message is \(row.state.rawValue)\(reason)")]
  }
}
