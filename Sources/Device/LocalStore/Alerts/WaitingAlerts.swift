import Model

/// What waits outside the store: the alerts of the spool, and what lies in memory.
struct WaitingAlerts {
  /// As they are: with their end where there is one, which the server need not have yet. Those that are over for the server too are
  /// left out. The active ones come first, then a real one before a drill, then the one that was raised first.
  let alerts: [Alert]
  /// Those of them that would be gone when the machine is switched off.
  let inMemory: Set<AlertID>
  let ends: [UnsavedEnd]
  /// When the server took those of them that it is known to have, by its clock.
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

  /// Nothing is to be told to anybody.
  var isEmpty: Bool { alerts.isEmpty && ends.allSatisfy(\.isReceived) }

  /// The calls for help and the ends of which the server is not known to have heard.
  ///
  /// - Parameter isInStore: the store has the call, and what there is to be told of it.
  func unsentCount(unless isInStore: (AlertID) throws -> Bool) rethrows -> Int {
    try ends.count { !$0.isReceived } + alerts.count { try $0.isActive && isUnsent($0) && !isInStore($0.id) }
  }

  func isUnsent(_ call: Alert) -> Bool { received[call.id] == nil }
}

extension [Alert] {
  /// The newest call for help beside `alert`, as a further call in it; nil where there is none.
  func newestCall(beside alert: Alert) -> AlertUpdate? {
    guard alert.isActive, let call = last(where: { $0.isActive && $0.id != alert.id && $0.isDrill == alert.isDrill })
    else { return nil }
    return AlertUpdate(at: call.startedAt, message: call.message, location: call.location)
  }
}
