package import Model

// What is known of a device whose store cannot be read, or not be opened.
extension AlertStatus {
  /// An alert in the spool, which is active, and saved, or one in memory, which is active. Nil where there is none: then nothing is
  /// known, and nobody may say that no alert is active.
  package static func ofSpool(
    _ home: HomeDirectory, because error: LocalStoreError, at moment: Moment, options: StoreOptions = .live
  ) -> AlertStatus? {
    let waiting = EmergencyAccess.waitingAlerts(home, at: moment, options)
    guard let alert = waiting.alerts.first(where: \.isActive) else { return nil }
    let spooled = waiting.alerts.filter { !waiting.inMemory.contains($0.id) }
    // Each waits to be told to the server, and each for its responders to be told.
    let sync = SyncOverview(pending: 2 * spooled.count, parked: 0, lastError: error.message, signedIn: false)
    return AlertStatus(
      alert: alert, stage: .saved, acceptedAt: nil, responders: [], safeReceipts: [], sync: sync,
      isSaved: !waiting.inMemory.contains(alert.id))
  }
}

extension EmergencyAccess {
  static func waitingAlerts(
    _ home: HomeDirectory, at moment: Moment, _ options: StoreOptions
  ) -> WaitingAlerts {
    WaitingAlerts(home, contentsInMemory(home, at: moment, options))
  }

  private static func contentsInMemory(
    _ home: HomeDirectory, at moment: Moment, _ options: StoreOptions
  ) -> VolatileAlerts.Contents {
    guard VolatileAlerts.mayBe(in: options.memoryFolders),
      let access = (try? read(home, at: moment, random: options.random)) ?? nil,
      let volatile = VolatileAlerts(
        home, device: access.deviceID, account: access.accountID, folders: options.memoryFolders)
    else { return VolatileAlerts.Contents() }
    var contents = volatile.contents
    contents.raised.removeAll { isTakenIn($0.raised.id, home) }
    contents.calls.removeAll { isTakenIn($0.raised.id, home) }
    return contents
  }
}

extension HistoryEntry {
  /// The alerts in the spool, newest first. Older ones are not known.
  package static func ofSpool(_ home: HomeDirectory) -> [HistoryEntry] { ofAlerts(Spool.alerts(home)) }

  /// Alerts that the store does not have, newest first.
  static func ofAlerts(_ alerts: [Alert]) -> [HistoryEntry] {
    alerts.sorted { $0.startedAt > $1.startedAt }.map {
      HistoryEntry(alert: $0, stage: .saved, acceptedAt: nil, isDiscarded: false)
    }
  }
}
