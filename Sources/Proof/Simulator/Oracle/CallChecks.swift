import LocalStore
import Model

/// Checks that each call for help made here is on its way to the responders, and that "received" is only shown for the newest
/// one (I10).
struct CallChecks {
  let view: DeviceView
  let ledger: DeviceLedger
  let server: ServerModel

  /// At any time: "received" means that the server has the newest call, unless its alert has ended.
  func run(now: Int64, _ findings: inout Findings) {
    guard let last = ledger.presses.last, !isHeard(last), !isOver(last), view.status.stage == .accepted,
      let alert = view.status.alert, alert.isActive, !alert.isDrill
    else { return }
    findings.add(
      .lastWord, "received on \(ledger.number), \(last.message)",
      "device \(ledger.number) shows “received”, and the server does not have “\(last.message)”", at: now)
  }

  /// In the end: the newest call has arrived if the device could send it.
  var matters: [OpenMatter] {
    guard let last = ledger.presses.last, !isHeard(last), view.isOnline, !isParked(last) else { return [] }
    return [
      OpenMatter(
        .lastWord, "the call “\(last.message)” was saved on device \(ledger.number), and never reached the server")
    ]
  }

  /// It, or what a call that died said after it: waiting calls merge into one, with the newest words.
  private func isHeard(_ press: DeviceLedger.ToldPress) -> Bool {
    ([press.message] + press.saidSince).contains { server.history.heardMessages.contains($0) }
  }

  /// The person called again without words, and that call follows an alert that has ended.
  private func isOver(_ press: DeviceLedger.ToldPress) -> Bool {
    view.entriesByID[view.carried[press.id] ?? press.id]?.alert.isActive == false
  }

  /// It waits behind an item that a person has to decide on.
  private func isParked(_ press: DeviceLedger.ToldPress) -> Bool {
    view.isParked(EntityID(view.carried[press.id] ?? press.id))
  }
}
