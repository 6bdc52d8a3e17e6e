package import Model
import PlantedBugs
import SQLiteKit

extension LocalStore {
  /// How things stand, as of one moment. An alert that lies in the spool, because the store could not take it, is shown as
  /// what it is: active, and saved; one that was raised in memory as active, and not saved.
  package func status() throws(LocalStoreError) -> AlertStatus {
    let outside = waitingAlerts()
    return try file.read { connection in
      var sync = try connection.syncOverview()
      sync.unsentOutside = try outside.unsentCount { try connection.hasPress($0) }
      let shown = try connection.shownAlert(outside.ends)
      let waiting = try outside.alerts.filter { try !connection.hasPress($0.id) }
      if let alert = waiting.first(where: { $0.speaks(before: shown?.alert) }) {
        return AlertStatus(alert, outside, waiting, sync)
      }
      let discarded = shown?.alert.isActive == true ? nil : try connection.newestAlertIfDiscarded()
      guard let shown else {
        return AlertStatus(
          alert: nil, stage: .saved, acceptedAt: nil, responders: [], safeReceipts: [], sync: sync, discarded: discarded
        )
      }
      let id = shown.alert.id
      let receipts = try connection.receipts(of: id)
      // A call in the spool, one that is queued, or one that became an alert beside this one, is not with the server yet.
      let hasUnsentCall =
        try PlantedBug.receivedOfOlder.isPlanted
        ? false
        : waiting.contains { $0.isActive && (!$0.isDrill || shown.alert.isDrill) && outside.isUnsent($0) }
          || connection.hasUnsentCall(beside: shown.alert)
      let isEndUnsent =
        shown.alert.isActive
        ? false : try connection.isEndUnsent(of: id) || outside.ends.end(of: id)?.isReceived == false
      return AlertStatus(
        alert: shown.alert,
        newestUpdate: try waiting.newestCall(beside: shown.alert) ?? connection.pendingUpdate(of: id)?.update
          ?? connection.knownUpdate(of: id)?.update,
        stage: shown.acceptedAt == nil || hasUnsentCall ? .saved : .accepted,
        acceptedAt: hasUnsentCall ? nil : try connection.newestAcceptance(of: id) ?? shown.acceptedAt,
        responders: receipts.filter { $0.notice == .activated }.withoutSuperseded,
        safeReceipts: isEndUnsent ? [] : try connection.receiptsOfEnd(id, in: receipts),
        sync: sync,
        discarded: discarded,
        isEndUnsent: isEndUnsent,
        nobodyIsTold: shown.alert.isActive
          ? try connection.nobodyIsTold(receipts: receipts.filter { $0.notice == .activated }) : nil
      )
    }
  }

  /// The calls for help that another alert carries than one of their own, by the id that theirs would have.
  package func carriedPresses() throws(LocalStoreError) -> [AlertID: AlertID] {
    let carried = try file.read { connection in
      try connection.statement("SELECT id, alert_id FROM presses WHERE alert_id <> id ORDER BY number")
        .allReadable { (try $0.identifier(0) as AlertID, try $0.identifier(1) as AlertID) }
    }
    return Dictionary(carried, uniquingKeysWith: { $1 })
  }

  /// The newest call for help that the server has not accepted, in the alert that carries it; nil where it has them all.
  package func unsentCall() throws(LocalStoreError) -> (alert: Alert, press: AlertID)? {
    try file.read { connection in
      try connection.statement(
        """
        SELECT a.id, started_at, ended_at, message, latitude, longitude, drill, coalesce(p.id, a.id) FROM alerts a
        LEFT JOIN presses p ON p.alert_id = a.id AND p.accepted_at IS NULL
        WHERE ended_at IS NULL AND discarded_at IS NULL AND (p.id IS NOT NULL OR a.accepted_at IS NULL)
        ORDER BY drill, p.number DESC, list_order DESC LIMIT 1
        """
      ).first { (try $0.alert(), try $0.identifier(7)) }
    }
  }

  /// The newest alert of which the server is still to hear that it has ended; nil where there is none.
  package func unsentEnd() throws(LocalStoreError) -> Alert? {
    try file.read { connection in
      try connection.statement(
        """
        SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts WHERE ended_at IS NOT NULL AND id IN (
          SELECT entity_id FROM pending_mutations WHERE kind = 'alert.deactivate' AND parked_at IS NULL)
        ORDER BY list_order DESC LIMIT 1
        """
      ).first { try $0.alert() }
    }
  }

  /// How far the call for help that `activateAlert` named got; nil where the store does not know it.
  package func pressProgress(_ press: AlertID) throws(LocalStoreError) -> PressProgress? {
    try file.read { connection in
      try connection.statement(
        """
        SELECT a.id, CASE WHEN p.alert_id IS NULL OR p.alert_id = p.id THEN a.accepted_at ELSE p.accepted_at END
        FROM alerts a LEFT JOIN presses p ON p.id = ?1 WHERE a.id = coalesce(p.alert_id, ?1)
        """
      ).first(SQLiteValue(press)) { PressProgress(alertID: try $0.identifier(0), acceptedAt: $0.optionalTime(1)) }
    }
  }
}

extension Alert {
  /// Whether this alert, which the store does not have, is shown rather than the store's.
  fileprivate func speaks(before shown: Alert?) -> Bool {
    guard let shown else { return true }
    if isActive { return !shown.isActive || shown.isDrill }
    return !shown.isActive && startedAt > shown.startedAt
  }
}

extension [Receipt] {
  /// Without those of an older call for which a newer one speaks. What a person answered stands.
  fileprivate var withoutSuperseded: [Receipt] {
    filter { older in !contains { $0.supersedes(older) } }
  }
}

extension Receipt {
  /// Whether this is of a newer call to the same contact by the same kind of channel, and tells no less than `older`.
  fileprivate func supersedes(_ older: Receipt) -> Bool {
    guard contactID == older.contactID, channel == older.channel, channel != .noChannel,
      id.description.prefix(13) > older.id.description.prefix(13)  // the time in a UUIDv7
    else { return false }
    switch older.state {
    case .sent: return state != .failed
    case .failed: return state != .failed && state != .queued
    case .queued, .seen, .acknowledged: return false
    }
  }
}

extension Connection {
  /// The active alert that was raised first, a real one before a drill; else the newest that was not discarded.
  ///
  /// - Parameter ends: those that the store does not have.
  fileprivate func shownAlert(_ ends: [UnsavedEnd]) throws -> (alert: Alert, acceptedAt: Timestamp?)? {
    let active = try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at
      FROM alerts INDEXED BY alerts_active WHERE ended_at IS NULL AND discarded_at IS NULL
      ORDER BY drill, list_order LIMIT ?
      """
    ).all(.integer(Int64(ends.count + 1))) { (alert: try $0.alert(), acceptedAt: $0.optionalTime(7)) }
    return try active.first { ends.applied(to: $0.alert).isActive }
      ?? statement(
        """
        SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at
        FROM alerts WHERE discarded_at IS NULL ORDER BY list_order DESC LIMIT 1
        """
      ).first { (ends.applied(to: try $0.alert()), $0.optionalTime(7)) }
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

  /// Whether the server is still to hear of a call for help that is as urgent as the alert.
  fileprivate func hasUnsentCall(beside alert: Alert) throws -> Bool {
    guard alert.isActive else { return try hasPendingUpdate(of: alert.id) }
    return try statement(
      """
      SELECT EXISTS (
        SELECT 1 FROM alerts a INDEXED BY alerts_active WHERE ended_at IS NULL AND discarded_at IS NULL AND drill <= ?
          AND (accepted_at IS NULL OR EXISTS (
            SELECT 1 FROM pending_mutations m INDEXED BY pending_mutations_updates
            WHERE m.entity_id = a.id AND m.kind = 'alert.update')))
      """
    ).first(SQLiteValue(alert.isDrill)) { $0.boolean(0) } ?? false
  }

  /// It waits in the queue, or a person discarded it there.
  fileprivate func isEndUnsent(of id: AlertID) throws -> Bool {
    try statement(
      """
      SELECT EXISTS (
          SELECT 1 FROM pending_mutations INDEXED BY pending_mutations_entity
          WHERE entity_id = ?1 AND kind = 'alert.deactivate')
        OR EXISTS (SELECT 1 FROM alerts WHERE id = ?1 AND end_discarded_at IS NOT NULL AND end_accepted_at IS NULL)
      """
    ).first(SQLiteValue(id)) { $0.boolean(0) } ?? false
  }

  /// What became of "safe now". Help may have been called for again since an earlier one, which says nothing of this end.
  fileprivate func receiptsOfEnd(_ id: AlertID, in receipts: [Receipt]) throws -> [Receipt] {
    let end = try statement("SELECT end_accepted_at FROM alerts WHERE id = ? AND ended_at IS NOT NULL")
      .first(SQLiteValue(id)) { $0.optionalTime(0) }
    guard let end else { return [] }
    return receipts.filter { receipt in
      receipt.notice == .deactivated && (end.map { receipt.at >= $0 } ?? true)
    }
  }

  /// When the server took the newest further call of the alert; nil where there is none.
  fileprivate func newestAcceptance(of id: AlertID) throws -> Timestamp? {
    try statement("SELECT max(accepted_at) FROM presses WHERE alert_id = ?").first(SQLiteValue(id)) {
      $0.optionalTime(0)
    } ?? nil
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
      isSessionExpired: values.session?.isExpired == true && values[.alertKeyRefused] == nil
    )
  }
}
