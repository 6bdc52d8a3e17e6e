import Model

/// What waits outside the store: the alerts in the spool and in memory.
struct WaitingAlerts {
  /// With their ends, which the server may not have yet. Without those that have ended for the server too. Active ones first, then real ones
  /// before drills, then oldest first.
  let alerts: [Alert]
  /// Those of them that are lost when the machine is switched off.
  let inMemory: Set<AlertID>
  let ends: [UnsavedEnd]
  /// When the server accepted those of them that it is known to have, by its clock.
  let received: [AlertID: Timestamp]

  init(_ home: HomeDirectory, _ contents: VolatileAlerts.Contents) {
    let ends = contents.ends.map(\.end)
    let raised = (contents.raised + contents.calls).map(\.raised.alert)
    let all = Spool.inOrder(Spool.alerts(home) + raised)
      .filter { ends.end(of: $0.id)?.isReceived != true }
      .map(ends.applied)
    alerts = all.filter(\.isActive) + all.filter { !$0.isActive }
    inMemory = Set(raised.map(\.id))
    self.ends = ends
    received = Dictionary(contents.received.map { ($0.call, $0.at) }) { first, _ in first }
  }

  /// Whether nothing is left to send.
  var isEmpty: Bool { alerts.isEmpty && ends.allSatisfy(\.isReceived) }

  /// The number of calls for help and ends that the server is not known to have.
  ///
  /// - Parameter isInStore: whether the store has the call, and sends it.
  func unsentCount(unless isInStore: (AlertID) throws -> Bool) rethrows -> Int {
    try ends.count { !$0.isReceived } + alerts.count { try $0.isActive && isUnsent($0) && !isInStore($0.id) }
  }

  func isUnsent(_ call: Alert) -> Bool { received[call.id] == nil }
}

extension [Alert] {
  /// The newest call for help besides `alert`, as an update of it; nil if there is none.
  func newestCall(beside alert: Alert) -> AlertUpdate? {
    guard alert.isActive, let call = last(where: { $0.isActive && $0.id != alert.id && $0.isDrill == alert.isDrill })
    else { return nil }
    return AlertUpdate(at: call.startedAt, message: call.message, location: call.location)
  }
}
