import LocalStore
import Model
import Wire

/// Checks that rows and queue match (I2), and that everything ever queued is accounted for (I5).
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

  // MARK: Rows and their queued items

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

  /// The responders may already know of an alert that is offered again to a restored server.
  private func checkRequest(of id: AlertID, _ ledger: DeviceLedger, _ findings: inout Findings) {
    let kind = "notification.activated"
    guard !view.isQueued(kind, EntityID(id)), !server.history.everApplied(Self.activation, EntityID(id)),
      ledger.told(id)?.discardedRequests.contains(kind) != true, !ledger.isDoubtful
    else { return }
    findings.add(
      .whole, "alert \(id) is queued on device \(ledger.number) without its notification request", at: now)
  }

  /// The server has the end, or it is queued, or a restore took it back and the device does not know yet.
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

  // MARK: Items that left the queue

  private func checkFate(of item: QueueItem, _ ledger: DeviceLedger, _ findings: inout Findings) {
    guard !(view.items[item.entityID] ?? []).contains(where: { $0.id == item.id }),
      !server.history.answeredIDs.contains(item.id), !ledger.givenUp.contains(item.id),
      !isReplaced(item, ledger), !isReplacedCall(item, ledger), !isPlaceOfEnded(item), !isTakenBackEnd(item, ledger)
    else { return }
    findings.add(
      .nothingLost,
      "\(item.kind) \(item.id) of \(item.entityID) was queued on device \(ledger.number), is neither there nor on the "
        + "server, and nobody discarded it", at: now)
  }

  /// Whether a newer call on the same device replaced this one, or it became an alert of its own.
  private func isReplacedCall(_ item: QueueItem, _ ledger: DeviceLedger) -> Bool {
    guard item.kind == "alert.update" else { return false }
    if server.history.refusedIDs.contains(item.id) || view.isQueued(item.kind, item.entityID) { return true }
    let key = ServerHistory.EntityKind(entity: item.entityID, kind: item.kind)
    return server.history.lastApplied[key].map { $0 > ledger.lastStep } ?? false
      || server.history.lastRefusedCall[item.entityID].map { $0 >= ledger.lastStep } ?? false
  }

  /// Whether it says where the person was in an alert of which the server has refused an update: the device drops it with that one, and may
  /// hear of the refusal long after the server answered.
  private func isPlaceOfEnded(_ item: QueueItem) -> Bool {
    item.kind == "alert.update" && item.body.contains(MutationBody.noCall)
      && server.history.lastRefusedCall[item.entityID] != nil
  }

  /// Whether the device took back this end, or the end of this notification request, because of a call for help on another device
  /// that the end had not seen.
  private func isTakenBackEnd(_ item: QueueItem, _ ledger: DeviceLedger) -> Bool {
    switch item.kind {
    case Self.end: return isTakenBack(item)
    case "notification.deactivated":
      let ends = ledger.lastView?.items[item.entityID]?.filter { $0.kind == Self.end } ?? []
      // An end that the server has accepted is only taken back if a restored server has lost it.
      guard !ends.isEmpty else { return server.history.wasRestored && hasCall(in: item.entityID, unseenBy: []) }
      return ends.contains(where: isTakenBack)
    default: return false
    }
  }

  /// Whether the server rejected the end because of such a call, or has the call, so that a pull may have named it.
  private func isTakenBack(_ end: QueueItem) -> Bool {
    if server.history.refusedEnds[end.entityID]?.contains(end.id) == true { return true }
    guard let root = try? JSONDocument(Array(end.body.utf8)).root,
      case .success(.deactivateAlert(let change)) = try? Mutation.Change.read(
        kind: .deactivateAlert, occurredAt: end.createdAt, body: root)
    else { return false }
    return hasCall(in: end.entityID, unseenBy: change.seenUpdates ?? [])
  }

  /// Whether the server ever had a call of another device after those in `seen`.
  private func hasCall(in entity: EntityID, unseenBy seen: [MutationID]) -> Bool {
    let calls = server.history.calls[AlertID(entity)] ?? []
    let start = calls.firstIndex { seen.contains($0.id) }.map { $0 + 1 } ?? 0
    return calls[start...].contains { $0.isCall && $0.device != view.deviceID }
  }

  /// Items are offered to a restored server under other ids.
  private func isReplaced(_ item: QueueItem, _ ledger: DeviceLedger) -> Bool {
    guard server.history.wasRestored else { return false }
    if view.isQueued(item.kind, item.entityID) { return true }
    let key = ServerHistory.EntityKind(entity: item.entityID, kind: item.kind)
    return server.history.lastApplied[key].map { $0 > ledger.lastStep } ?? false
  }
}
