import LocalStore
import Model

/// Whether each call for help that a person made here is on its way to the responders, and "received" is said of the newest
/// one alone (I10).
struct CallChecks {
  let view: DeviceView
  let ledger: DeviceLedger
  let server: ServerModel

  /// At any time: "received" means that the server has what was said last, unless that is over.
  func run(now: Int64, _ findings: inout Findings) {
    guard let last = ledger.presses.last, !isHeard(last), !isOver(last), view.status.stage == .accepted,
      let alert = view.status.alert, alert.isActive, !alert.isDrill
    else { return }
    findings.add(
      .lastWord, "received on \(ledger.number), \(last.message)",
      "device \(ledger.number) says “received”, and the server has not heard “\(last.message)”", at: now)
  }

  /// In the end: what was said last has arrived, where the device could send it.
  var matters: [OpenMatter] {
    guard let last = ledger.presses.last, !isHeard(last), view.isOnline, !isParked(last) else { return [] }
    return [
      OpenMatter(
        .lastWord, "the call “\(last.message)” was saved on device \(ledger.number), and never came to the server")
    ]
  }

  /// It, or what was said after it by a call that died: calls that wait become one, with the newest words.
  private func isHeard(_ press: DeviceLedger.ToldPress) -> Bool {
    ([press.message] + press.saidSince).contains { server.history.heardMessages.contains($0) }
  }

  /// Whoever called again after that said nothing, and it is sent behind what is active.
  private func isOver(_ press: DeviceLedger.ToldPress) -> Bool {
    view.entriesByID[view.carried[press.id] ?? press.id]?.alert.isActive == false
  }

  /// It waits behind something that a person has to decide.
  private func isParked(_ press: DeviceLedger.ToldPress) -> Bool {
    view.isParked(EntityID(view.carried[press.id] ?? press.id))
  }
}
