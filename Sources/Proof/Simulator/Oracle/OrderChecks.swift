import LocalStore
import Model
import Wire

/// Whether a request keeps the order in which a device had queued what it holds (I6): nothing goes before what was queued
/// earlier of the same entity.
struct OrderChecks {
  let ledger: DeviceLedger
  let history: ServerHistory
  let now: Int64

  /// Before the request's own answers are taken in.
  func run(_ request: SyncRequest, _ findings: inout Findings) {
    // Offered again to a restored server, things go under other ids.
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
    // A newer call for help replaces one that waits; a call that became an alert of its own takes its end with it.
    guard !earlier.kind.hasPrefix("notification."), earlier.kind != "alert.update",
      !history.answeredIDs.contains(earlier.id),
      !ledger.givenUp.contains(earlier.id)
    else { return }
    findings.add(
      .order,
      "device \(ledger.number) sent \(id) before \(earlier.kind) \(earlier.id) of the same \(earlier.entityID), which was "
        + "queued earlier", at: now)
  }
}
