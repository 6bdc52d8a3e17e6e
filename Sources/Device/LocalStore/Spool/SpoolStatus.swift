package import Model

// The status of a device whose store cannot be read, or not be opened.
extension AlertStatus {
  /// The status of an alert in the spool, active and saved, or in memory, active and not saved. Nil if there is none: then nothing is known,
  /// not even that no alert is active.
  package static func ofSpool(
    _ home: HomeDirectory, because error: LocalStoreError, at moment: Moment, options: StoreOptions = .live
  ) -> AlertStatus? {
    let outside = EmergencyAccess.waitingAlerts(home, at: moment, options)
    guard let alert = outside.alerts.first(where: \.isActive) else { return nil }
    let access = (try? EmergencyAccess.read(home, at: moment, random: options.random)) ?? nil
    let spooled = outside.alerts.filter { !outside.inMemory.contains($0.id) }
    // Two items each: the alert, and the request to notify responders.
    var sync = SyncOverview(
      pending: 2 * spooled.count, parked: 0, lastError: error.message, signedIn: access != nil)
    sync.unsentOutside = outside.unsentCount { !outside.inMemory.contains($0) }
    return AlertStatus(alert, outside, outside.alerts, sync)
  }

  /// The status of an alert that the store does not have.
  ///
  /// - Parameter calls: all calls that the store does not have.
  init(_ alert: Alert, _ outside: WaitingAlerts, _ calls: [Alert], _ sync: SyncOverview) {
    let isUnsent = calls.contains { $0.isActive && (!$0.isDrill || alert.isDrill) && outside.isUnsent($0) }
    let acceptedAt = isUnsent ? nil : outside.received[alert.id]
    self.init(
      alert: alert, newestUpdate: calls.newestCall(beside: alert), stage: acceptedAt == nil ? .saved : .accepted,
      acceptedAt: acceptedAt, responders: [], safeReceipts: [], sync: sync, isEndUnsent: !alert.isActive,
      isSaved: !outside.inMemory.contains(alert.id))
  }
}

extension LocalStore {
  /// Why an alert may be saved outside the store that nobody here knows of; nil if all that is there can be read.
  package func unknownOutside() -> String? {
    do throws(LocalStoreError) {
      return try Spool.read(home).unreadable > 0 ? "a file in the folder \(home.spoolPath) cannot be read" : nil
    } catch {
      return error.message
    }
  }
}

extension EmergencyAccess {
  static func waitingAlerts(
    _ home: HomeDirectory, at moment: Moment, _ options: StoreOptions
  ) -> WaitingAlerts {
    WaitingAlerts(home, contentsInMemory(home, at: moment, options))
  }

  /// The number of calls for help and ends outside the store that the server is not known to have.
  package static func unsentCount(_ home: HomeDirectory, at moment: Moment, options: StoreOptions = .live) -> Int {
    waitingAlerts(home, at: moment, options).unsentCount { isTakenIn($0, home) }
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
  /// The alerts in the spool, newest first. Older ones are unknown.
  package static func ofSpool(_ home: HomeDirectory) -> [HistoryEntry] { ofAlerts(Spool.alerts(home)) }

  /// Alerts that the store does not have, newest first.
  static func ofAlerts(_ alerts: [Alert]) -> [HistoryEntry] {
    alerts.sorted { $0.startedAt > $1.startedAt }.map {
      HistoryEntry(alert: $0, stage: .saved, acceptedAt: nil, isDiscarded: false)
    }
  }
}
