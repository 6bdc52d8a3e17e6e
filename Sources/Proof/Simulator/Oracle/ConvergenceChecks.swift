import LocalStore
import Model
import ServerCore

/// Checks that the server holds what its answers said, and that every signed-in device shows the same (I4).
struct ConvergenceChecks {
  let server: ServerModel
  let held: ServerView

  /// Compares the server with the model.
  var matters: [OpenMatter] {
    var matters: [OpenMatter] = []
    for account in server.accountIDs {
      let model = server[account]
      let expected = model.alertIDs.compactMap { model.alerts[$0]?.alert }
      matters += differences(
        held.alerts[account] ?? [], expected, "account \(account) on the server, by its own answers,")
      matters += differences(
        held.contacts[account] ?? [], model.contactsByID, "account \(account) on the server, by its own answers,")
    }
    return matters
  }

  /// Compares a device with the server: nothing is left to send, and both show the same. Parked items are ignored, since a
  /// person has to decide on them; so is what a person discarded here.
  func matters(of view: DeviceView, _ ledger: DeviceLedger) -> [OpenMatter] {
    guard let session = view.session, !session.isExpired else { return [] }
    let parked = Set(view.queue.filter { $0.parked != nil }.map(\.entityID))
    var matters = view.queue.filter { !parked.contains($0.entityID) && !isHeldBack($0, session.accountID) }.map {
      item in
      let failure = item.lastError.map { ", which failed \(item.attempts) times: \($0)" } ?? ""
      return OpenMatter(
        .nothingLost, "\(item.kind) of \(item.entityID) waits on device \(ledger.number)\(failure)")
    }
    for id in view.entries.map(\.alert.id) where view.spooled.contains(id) {
      matters.append(OpenMatter(.nothingLost, "alert \(id) waits in the spool of device \(ledger.number)"))
    }
    let place = "device \(ledger.number)"
    let shown = view.entries.reversed().filter { !$0.isDiscarded && !parked.contains(EntityID($0.alert.id)) }
    let alerts = (held.alerts[session.accountID] ?? []).filter { !parked.contains(EntityID($0.id)) }
    // The active ones stand above the others.
    let active = Set(shown.filter(\.alert.isActive).map(\.alert.id))
    let inOrder = alerts.filter { !active.contains($0.id) } + alerts.filter { active.contains($0.id) }
    matters += differences(shown.map { seen($0.alert, alerts, ledger) }, inOrder, place)
    let contacts = view.contacts.sorted { $0.id.words < $1.id.words }
    matters += differences(
      contacts.filter { !parked.contains(EntityID($0.id)) },
      (held.contacts[session.accountID] ?? []).filter { !parked.contains(EntityID($0.id)) }, place)
    return matters
  }

  /// Whether the server makes the item wait while the person has an active call for help: notifications of drills and of ended
  /// alerts have a smaller share of the waiting messages, and that share is full.
  private func isHeldBack(_ item: QueueItem, _ account: AccountID) -> Bool {
    let alerts = server[account].alerts
    guard item.kind.hasPrefix("notification."), let alert = alerts[AlertID(item.entityID)], !alert.isCall,
      alerts.values.contains(where: \.isCall)
    else { return false }
    return held.openDeliveries[account] ?? 0 >= AccountLimits().openDeliveries(toTellOf: alert.alert)
  }

  /// The alert as the server may have it: without an end that was discarded on this device.
  private func seen(_ alert: Alert, _ stored: [Alert], _ ledger: DeviceLedger) -> Alert {
    guard ledger.givenUpEnds.contains(alert.id), let other = stored.first(where: { $0.id == alert.id }), other.isActive
    else { return alert }
    return Alert(
      id: alert.id, startedAt: alert.startedAt, message: alert.message, location: alert.location,
      isDrill: alert.isDrill, onlyContact: alert.onlyContact)
  }

  private func differences(_ shown: [Alert], _ expected: [Alert], _ place: String) -> [OpenMatter] {
    guard shown != expected else { return [] }
    let shownByID = Dictionary(shown.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let expectedByID = Dictionary(expected.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    var matters: [OpenMatter] = []
    for alert in expected where shownByID[alert.id] != alert {
      let line =
        shownByID[alert.id].map { "shows alert \(alert.id) as \($0.line), not as" } ?? "lacks alert \(alert.id)"
      matters.append(OpenMatter(.convergence, "\(place) \(line) \(alert.line)"))
    }
    for alert in shown where expectedByID[alert.id] == nil {
      matters.append(OpenMatter(.convergence, "\(place) shows alert \(alert.id) \(alert.line), which is not there"))
    }
    return matters.isEmpty ? [OpenMatter(.convergence, "\(place) shows the alerts in another order")] : matters
  }

  private func differences(_ shown: [Contact], _ expected: [Contact], _ place: String) -> [OpenMatter] {
    guard shown != expected else { return [] }
    let shownByID = Dictionary(shown.map { ($0.id, $0.details) }, uniquingKeysWith: { first, _ in first })
    let expectedByID = Dictionary(expected.map { ($0.id, $0.details) }, uniquingKeysWith: { first, _ in first })
    let ids = Set(shownByID.keys).union(expectedByID.keys).sorted { $0.words < $1.words }
    return ids.filter { shownByID[$0] != expectedByID[$0] }.map { id in
      OpenMatter(
        .convergence,
        "\(place) shows contact \(id) as \(shownByID[id].line), and it is \(expectedByID[id].line)")
    }
  }
}
