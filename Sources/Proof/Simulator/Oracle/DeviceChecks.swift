import LocalStore
import Model

/// Checks that a device shows what its person was told (I1), and never shows an ended alert as active (I6).
struct DeviceChecks {
  let view: DeviceView
  let server: ServerModel
  let now: Int64
  private var device = 0

  init(view: DeviceView, server: ServerModel, now: Int64) {
    self.view = view
    self.server = server
    self.now = now
  }

  mutating func run(_ ledger: inout DeviceLedger, _ findings: inout Findings) {
    device = ledger.number
    if view.isSetAside, ledger.hasTold {
      findings.add(.durable, "device \(device) set its store aside as damaged, and nothing had damaged it", at: now)
    }
    for told in ledger.toldAlerts { check(told, &findings) }
    checkEnds(&ledger, &findings)
    for id in ledger.contacts.keys.sorted(by: { $0.words < $1.words }) { check(id, &ledger, &findings) }
    for contact in view.contacts where ledger.contacts[contact.id] == nil { check(contact, &ledger, &findings) }
  }

  private func check(_ told: DeviceLedger.ToldAlert, _ findings: inout Findings) {
    let id = told.alert.id
    guard let entry = view.entriesByID[id] else {
      // It met an active alert when it left the spool.
      if view.isCarried(told) { return }
      findings.add(.durable, "alert \(id) was reported as saved on device \(device), and is missing", at: now)
      return
    }
    let shown = entry.alert
    if !isSame(shown, told) {
      findings.add(
        .durable, "alert \(id) was saved on device \(device) as \(told.alert.line), and is shown as \(shown.line)",
        at: now)
    }
    if told.isEnded, shown.isActive, !isCalledAgain(id, isEndedHere: true) {
      findings.add(
        .durable, "the end of alert \(id) was reported as saved on device \(device), and is missing", at: now)
    }
    if entry.isDiscarded, !told.isDiscarded {
      findings.add(
        .nothingLost, "alert \(id) is shown as discarded on device \(device), and nobody discarded it", at: now)
    }
  }

  /// A call from the spool may also carry earlier words: it repeated another call whose alert turned out to have ended.
  private func isSame(_ shown: Alert, _ told: DeviceLedger.ToldAlert) -> Bool {
    let alert = told.alert
    guard shown.startedAt == alert.startedAt, shown.isDrill == alert.isDrill else { return false }
    guard told.isSpooled else { return shown.message == alert.message && shown.location == alert.location }
    return (shown.message ?? "").contains(alert.message ?? "")
      && (alert.location == nil || shown.location == alert.location)
  }

  private func checkEnds(_ ledger: inout DeviceLedger, _ findings: inout Findings) {
    for entry in view.entries {
      let id = entry.alert.id
      if !entry.alert.isActive {
        ledger.seenEnded.insert(id)
      } else if ledger.seenEnded.contains(id), !isCalledAgain(id, isEndedHere: ledger.told(id)?.isEnded == true) {
        findings.add(.order, "alert \(id) had ended on device \(device), and is active there", at: now)
      }
    }
  }

  /// Whether the alert may be active after an end: somebody called for help in it again, and the server or the device rejected
  /// an end that had not seen that call. Another device may have ended it since. After a restore the server may lack the end,
  /// and receives the calls in another order.
  private func isCalledAgain(_ id: AlertID, isEndedHere: Bool) -> Bool {
    let history = server.history
    if history.refusedEnds[EntityID(id)] != nil { return true }
    let enders = history.enders[id] ?? []
    let isEndTaken = isEndedHere ? enders.contains(view.deviceID) : !enders.isEmpty
    return history.calls[id]?.contains(where: \.isCall) == true && (history.wasRestored || !isEndTaken)
  }

  // MARK: Contacts

  /// A contact last changed by the person here: shows either that change, or a later state of the server.
  private func check(_ id: ContactID, _ ledger: inout DeviceLedger, _ findings: inout Findings) {
    guard let told = ledger.contacts[id] else { return }
    let shown = view.contacts.first { $0.id == id }?.details
    if shown == told.details || view.isParked(EntityID(id)) { return }
    let states = server.history.contactStates[id] ?? []
    let taken = states.first { $0.step > told.step && $0.details == told.details }
    guard let taken else {
      findings.add(
        .durable,
        "contact \(id) was saved as \(told.details.line) on device \(device), is shown as \(shown.line), and the server "
          + "never had what was saved", at: now)
      return
    }
    check(id, shown, after: taken.step, &ledger, &findings)
  }

  /// A contact that came from the server.
  private func check(_ contact: Contact, _ ledger: inout DeviceLedger, _ findings: inout Findings) {
    guard view.items[EntityID(contact.id)] == nil else { return }
    check(contact.id, contact.details, after: -1, &ledger, &findings)
  }

  /// Shows a state that the server had from that step on, and never an older one than was seen before.
  private func check(
    _ id: ContactID, _ shown: ContactDetails?, after step: Int, _ ledger: inout DeviceLedger, _ findings: inout Findings
  ) {
    let earliest = max(step, ledger.contactSteps[id] ?? -1)
    let states = server.history.contactStates[id] ?? []
    if let state = states.first(where: { $0.step >= earliest && $0.details == shown }) {
      ledger.contactSteps[id] = state.step
      return
    }
    let latest = (states.last?.details).line
    findings.add(
      .convergence, "contact \(id) on \(device)",
      "contact \(id) is shown on device \(device) as \(shown.line), which the server has not had since it was last seen; "
        + "the server has \(latest)", at: now)
  }
}
