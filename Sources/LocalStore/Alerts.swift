package import Model

extension LocalStore {
  /// Raises an alert: its row, its mutation and its notification request in one transaction. Returns when it is durable.
  ///
  /// Where one is active already, that one is returned and nothing is stored; a drill never stands in for a real alert.
  /// Where the store cannot take it, the alert goes to the spool.
  package func activateAlert(_ draft: AlertDraft, at moment: Moment) throws(LocalStoreError) -> Activation {
    fatalError("not yet")
  }

  /// Ends every active alert and gives them, ended; empty where none is active.
  package func deactivateAlerts(at moment: Moment) throws(LocalStoreError) -> [Alert] { fatalError("not yet") }

  package func status() throws(LocalStoreError) -> AlertStatus { fatalError("not yet") }

  /// A page of all alerts, newest first: those that the server has not stored, then the others in the server's order.
  package func history(limit: Int, before: HistoryPosition?) throws(LocalStoreError) -> HistoryPage {
    fatalError("not yet")
  }
}
