import Model
import SQLiteKit

extension LocalStore {
  /// How things stand, as of one moment. An alert that lies in the spool, because the store could not take it, is shown as
  /// what it is: active, and saved.
  package func status() throws(LocalStoreError) -> AlertStatus {
    let spooled = Spool.alerts(home)
    return try file.read { connection in
      let sync = try connection.syncOverview()
      let shown = try connection.shownAlert()
      if shown?.alert.isActive != true || shown?.alert.isDrill == true,
        let alert = try spooled.first(where: { try !connection.hasAlert($0.id) })
      {
        return AlertStatus(alert: alert, stage: .saved, acceptedAt: nil, responders: [], safeReceipts: [], sync: sync)
      }
      let discarded = shown?.alert.isActive == true ? nil : try connection.newestAlertIfDiscarded()
      guard let shown else {
        return AlertStatus(
          alert: nil, stage: .saved, acceptedAt: nil, responders: [], safeReceipts: [], sync: sync, discarded: discarded
        )
      }
      let receipts = try connection.receipts(of: shown.alert.id)
      return AlertStatus(
        alert: shown.alert,
        stage: shown.acceptedAt == nil ? .saved : .accepted,
        acceptedAt: shown.acceptedAt,
        responders: receipts.filter { $0.notice == .activated },
        safeReceipts: receipts.filter { $0.notice == .deactivated },
        sync: sync,
        discarded: discarded
      )
    }
  }
}

extension Connection {
  /// The active alert that was raised first, a real one before a drill; else the newest that was not discarded.
  fileprivate func shownAlert() throws -> (alert: Alert, acceptedAt: Timestamp?)? {
    try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at
      FROM alerts INDEXED BY alerts_active WHERE ended_at IS NULL AND discarded_at IS NULL
      ORDER BY drill, list_order LIMIT 1
      """
    ).first { (try $0.alert(), $0.optionalTime(7)) }
      ?? statement(
        """
        SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at
        FROM alerts WHERE discarded_at IS NULL ORDER BY list_order DESC LIMIT 1
        """
      ).first { (try $0.alert(), $0.optionalTime(7)) }
  }

  fileprivate func newestAlertIfDiscarded() throws -> Alert? {
    let newest = try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, discarded_at IS NOT NULL
      FROM alerts ORDER BY list_order DESC LIMIT 1
      """
    ).first { (alert: try $0.alert(), isDiscarded: $0.boolean(7)) }
    return newest?.isDiscarded == true ? newest?.alert : nil
  }

  fileprivate func receipts(of id: AlertID) throws -> [Receipt] {
    try statement(
      """
      SELECT id, alert_id, contact_id, contact_name, notice, channel, state, at, reason FROM receipts
      WHERE alert_id = ? ORDER BY contact_name, id
      """
    ).all(SQLiteValue(id)) { try $0.receipt() }
  }

  fileprivate func syncOverview() throws -> SyncOverview {
    let values = try stateValues()
    let counts = try queueCounts()
    let lanes = try Lane.allCases.map { try laneState($0, values, counts) }
    return SyncOverview(
      pending: counts.total - counts.parked,
      parked: counts.parked,
      lastSuccessAt: values.time(.lastSuccessAt),
      nextAttemptAt: lanes.compactMap { $0.count > 0 ? $0.nextAttemptAt : nil }.min(),
      lastError: values[.lastError],
      lastErrorKind: values[.lastErrorKind],
      signedIn: values.session.map { !$0.isExpired } ?? false,
      serverOffsetMilliseconds: values.integer(.serverOffset),
      isSessionExpired: values.session?.isExpired ?? false
    )
  }
}
