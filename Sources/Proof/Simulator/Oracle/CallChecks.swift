import LocalStore
import Model

/// Checks that the words of each call for help made here reach the server (I5), the newest of all (I10), and that "received" is only shown
/// for the newest one (I10).
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

  /// In the end: all words have arrived if the device could send them.
  var matters: [OpenMatter] {
    guard view.isOnline else { return [] }
    let last = ledger.presses.last?.id
    return ledger.presses.filter { !isHeard($0) && !isParked($0) }.map { press in
      OpenMatter(
        press.id == last ? .lastWord : .nothingLost,
        "the call “\(press.message)” was saved on device \(ledger.number), and never reached the server")
    }
  }

  private func isHeard(_ press: DeviceLedger.ToldPress) -> Bool { server.history.heardMessages.contains(press.message) }

  /// The person called again without words, and that call follows an alert that has ended.
  private func isOver(_ press: DeviceLedger.ToldPress) -> Bool {
    view.entriesByID[view.carried[press.id] ?? press.id]?.alert.isActive == false
  }

  /// It waits behind an item that a person has to decide on.
  private func isParked(_ press: DeviceLedger.ToldPress) -> Bool {
    view.isParked(EntityID(view.carried[press.id] ?? press.id))
  }
}
