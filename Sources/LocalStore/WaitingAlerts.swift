import Model

/// What waits outside the store: the alerts of the spool, and what lies in memory.
struct WaitingAlerts {
  /// As they are: with their end where there is one, which the server need not have yet. Those that are over for the server too are
  /// left out. A real one before a drill, then the one that was raised first.
  let alerts: [Alert]
  /// Those of them that would be gone when the machine is switched off.
  let inMemory: Set<AlertID>
  let ends: [UnsavedEnd]

  init(_ home: HomeDirectory, _ contents: VolatileAlerts.Contents) {
    let ends = contents.ends.map(\.end)
    let raised = (contents.raised + contents.calls).map(\.raised.alert)
    alerts = Spool.inOrder(Spool.alerts(home) + raised)
      .filter { ends.end(of: $0.id)?.isReceived != true }
      .map(ends.applied)
    inMemory = Set(raised.map(\.id))
    self.ends = ends
  }

  /// Nothing is to be told to anybody.
  var isEmpty: Bool { alerts.isEmpty && ends.allSatisfy(\.isReceived) }
}
