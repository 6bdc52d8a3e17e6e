import LocalStore
import Model
import Wire

/// Checks that a request keeps the order of the device's queue (I6): nothing overtakes an earlier item of the same entity.
struct OrderChecks {
  let ledger: DeviceLedger
  let history: ServerHistory
  let now: Int64

  /// To be called before the request's results are taken in.
  func run(_ request: SyncRequest, _ findings: inout Findings) {
    // After a restore, items are offered again under other ids.
    guard let view = ledger.lastView, !ledger.isDoubtful, !history.wasRestored else { return }
    var sent: Set<String> = []
    for mutation in request.mutations {
      let id = mutation.id.description
      let queued = view.items[mutation.entityID] ?? []
      if let place = queued.firstIndex(where: { $0.id == id }), !history.answeredIDs.contains(id) {
        for earlier in queued[..<place] where !sent.contains(earlier.id) { check(earlier, before: id, &findings) }
      }
      sent.insert(id)
    }
  }

  private func check(_ earlier: QueueItem, before id: String, _ findings: inout Findings) {
    // A newer call for help replaces a waiting one; a call that became an alert of its own takes its end along.
    guard !earlier.kind.hasPrefix("notification."), earlier.kind != "alert.update",
      !history.answeredIDs.contains(earlier.id),
      !ledger.givenUp.contains(earlier.id)
    else { return }
    findings.add(
      .order,
      "device \(ledger.number) sent \(id) before \(earlier.kind) \(earlier.id) of the same entity \(earlier.entityID), which was "
        + "queued earlier", at: now)
  }
}
