import LocalStore
import Model

/// Whether rows and queue fit each other (I2), and whether everything that was queued is accounted for (I5).
struct QueueChecks {
  let view: DeviceView
  let server: ServerModel
  let now: Int64

  private static let end = "alert.deactivate"
  private static let activation = "alert.activate"

  func run(_ ledger: DeviceLedger, _ findings: inout Findings) {
    for entry in view.entries where !view.spooled.contains(entry.alert.id) { check(entry, ledger, &findings) }
    for item in view.queue { check(item, ledger, &findings) }
    for item in ledger.lastView?.queue ?? [] { checkFate(of: item, ledger, &findings) }
  }

  // MARK: Rows and what is queued for them

  private func check(_ entry: HistoryEntry, _ ledger: DeviceLedger, _ findings: inout Findings) {
    guard !entry.isDiscarded else { return }
    let id = entry.alert.id
    let isQueued = view.isQueued(Self.activation, EntityID(id))
    if entry.stage == .saved, !isQueued {
      findings.add(
        .whole, "alert \(id) is not accepted on device \(ledger.number), and not queued there", at: now)
    }
    if isQueued { checkRequest(of: id, ledger, &findings) }
    if !entry.alert.isActive { checkEnd(of: id, ledger, &findings) }
  }

  /// An alert offered again to a restored server may have been told of already.
  private func checkRequest(of id: AlertID, _ ledger: DeviceLedger, _ findings: inout Findings) {
    let kind = "notification.activated"
    guard !view.isQueued(kind, EntityID(id)), !server.history.everApplied(Self.activation, EntityID(id)),
      ledger.told(id)?.discardedRequests.contains(kind) != true, !ledger.isDoubtful
    else { return }
    findings.add(
      .whole, "alert \(id) is queued on device \(ledger.number) without the wish that responders be told", at: now)
  }

  /// The server has the end, or it is queued, or the device does not know yet that a restore took it back.
  private func checkEnd(of id: AlertID, _ ledger: DeviceLedger, _ findings: inout Findings) {
    guard !view.isQueued(Self.end, EntityID(id)), !server.history.everEnded(id),
      ledger.told(id)?.isEndDiscarded != true, !ledger.givenUpEnds.contains(id)
    else { return }
    findings.add(
      .whole, "alert \(id) has ended on device \(ledger.number), and its end is neither queued nor on the server",
      at: now)
  }

  private func check(_ item: QueueItem, _ ledger: DeviceLedger, _ findings: inout Findings) {
    let id = AlertID(item.entityID)
    if let parked = item.parked, parked.code != "unreadable", !server.history.refusedIDs.contains(item.id) {
      findings.add(
        .nothingLost,
        "\(item.kind) \(item.id) of \(id) is parked on device \(ledger.number) as \(parked.code), and the server never "
          + "refused it", at: now)
    }
    guard item.lane == .emergency, view.entriesByID[id] == nil, item.parked?.code != "unreadable" else { return }
    findings.add(.whole, "\(item.kind) of \(id) is queued on device \(ledger.number) without its alert", at: now)
  }

  // MARK: What was queued and is not any more

  private func checkFate(of item: QueueItem, _ ledger: DeviceLedger, _ findings: inout Findings) {
    guard !(view.items[item.entityID] ?? []).contains(where: { $0.id == item.id }),
      !server.history.answeredIDs.contains(item.id), !ledger.givenUp.contains(item.id),
      !isReplaced(item, ledger), !isReplacedCall(item, ledger), !isTakenBackEnd(item)
    else { return }
    findings.add(
      .nothingLost,
      "\(item.kind) \(item.id) of \(item.entityID) was queued on device \(ledger.number), and is neither there nor on the "
        + "server, nor did anybody give it up", at: now)
  }

  /// A call for help that a newer one on the same device repeats, or that became an alert of its own.
  private func isReplacedCall(_ item: QueueItem, _ ledger: DeviceLedger) -> Bool {
    guard item.kind == "alert.update" else { return false }
    if server.history.refusedIDs.contains(item.id) || view.isQueued(item.kind, item.entityID) { return true }
    let key = ServerHistory.EntityKind(entity: item.entityID, kind: item.kind)
    return server.history.lastApplied[key].map { $0 > ledger.lastStep } ?? false
      || server.history.lastRefusedCall[item.entityID].map { $0 >= ledger.lastStep } ?? false
  }

  /// An end that the server did not take, or that its device took back by itself, since it had not known of a newer call for help,
  /// and the wish to tell of it; the alert is active, or was ended again, here or elsewhere. Or the end of an alert that had ended,
  /// where the call that came before it here became an alert of its own.
  private func isTakenBackEnd(_ item: QueueItem) -> Bool {
    guard item.kind == Self.end || item.kind == "notification.deactivated" else { return false }
    let id = AlertID(item.entityID)
    if let refused = server.history.refusedEnds[item.entityID], item.kind != Self.end || refused.contains(item.id) {
      return true
    }
    let isOpenAgain = view.entriesByID[id]?.alert.isActive == true || view.isQueued(Self.end, item.entityID)
    if server.history.calls[id]?.isEmpty == false, isOpenAgain || isEnded(id) { return true }
    return server.history.lastRefusedCall[item.entityID] != nil && isEnded(id)
  }

  /// The server has an end of it, or took one that no restore took back since.
  private func isEnded(_ id: AlertID) -> Bool {
    let stored = server.history.alertAccounts[id].flatMap { server[$0].alerts[id] }
    if stored?.isActive == false { return true }
    let end = ServerHistory.EntityKind(entity: EntityID(id), kind: Self.end)
    return server.history.lastApplied[end].map { $0 > server.history.lastRestore ?? -1 } ?? false
  }

  /// What is offered again to a restored server goes under another id.
  private func isReplaced(_ item: QueueItem, _ ledger: DeviceLedger) -> Bool {
    guard server.history.wasRestored else { return false }
    if view.isQueued(item.kind, item.entityID) { return true }
    let key = ServerHistory.EntityKind(entity: item.entityID, kind: item.kind)
    return server.history.lastApplied[key].map { $0 > ledger.lastStep } ?? false
  }
}
