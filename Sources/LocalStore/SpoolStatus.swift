import Model

// What is known of a device whose store cannot be read.
extension AlertStatus {
  /// An alert in the spool: active, and saved. Nil where none lies there: then nothing is known, and nobody may say that no
  /// alert is active.
  package static func ofSpool(_ home: HomeDirectory, because error: LocalStoreError) -> AlertStatus? {
    let alerts = Spool.alerts(home)
    guard let alert = alerts.first else { return nil }
    // Each waits to be told to the server, and each for its responders to be told.
    let sync = SyncOverview(pending: 2 * alerts.count, parked: 0, lastError: error.message, signedIn: false)
    return AlertStatus(alert: alert, stage: .saved, acceptedAt: nil, responders: [], safeReceipts: [], sync: sync)
  }
}

extension HistoryEntry {
  /// The alerts in the spool, newest first. Older ones are not known.
  package static func ofSpool(_ home: HomeDirectory) -> [HistoryEntry] {
    Spool.alerts(home).sorted { $0.startedAt > $1.startedAt }.map {
      HistoryEntry(alert: $0, stage: .saved, acceptedAt: nil, isDiscarded: false)
    }
  }
}
