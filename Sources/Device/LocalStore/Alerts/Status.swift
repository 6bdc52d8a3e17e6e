package import Model
import PlantedBugs
import SQLiteKit
import Wire

/// How a status counts what is queued.
package enum QueueCounting: Hashable, Sendable {
  case exact
  /// Up to a thousand alerts, other changes and notifications each, so that a long queue costs no more than a short one: for those who
  /// look at each change.
  case bounded
}

extension LocalStore {
  /// The alert and the state of the sync, as of one moment. An alert in the spool is shown as active and saved; one in memory as active
  /// and not saved.
  package func status(_ counting: QueueCounting = .exact) throws(LocalStoreError) -> AlertStatus {
    let outside = waitingAlerts()
    return try file.read { reading in
      var sync = try reading.syncOverview(counting)
      sync.unsentOutside = try outside.unsentCount { try reading.hasPress($0) }
      let active = try reading.activeAlerts(outside.ends)
      let shown = try active.first ?? reading.lastAlert(outside.ends)
      let waiting = try outside.alerts.filter { try !reading.hasPress($0.id) }
      let toEnd = try reading.toEnd(active.map(\.alert) + waiting.filter(\.isActive))
      if let alert = waiting.first(where: { $0.isShown(before: shown?.alert) }) {
        var status = AlertStatus(alert, outside, waiting, sync)
        status.toEnd = toEnd
        return status
      }
      let discarded = shown?.alert.isActive == true ? nil : try reading.newestAlertIfDiscarded(shown?.alert)
      guard let shown else {
        return AlertStatus(
          alert: nil, toEnd: toEnd, stage: .saved, acceptedAt: nil, responders: [], safeReceipts: [], sync: sync,
          discarded: discarded)
      }
      let id = shown.alert.id
      let receipts = try reading.receipts(of: id)
      let others = active.dropFirst().map(\.alert).filter { $0.isDrill == shown.alert.isDrill }
      let responders = try reading.helpReceipts(receipts, others)
      // The server does not have a call in the spool yet, one that is queued, or one that became an alert beside this one.
      let hasUnsentCall =
        try PlantedBug.receivedOfOlder.isPlanted
        ? false
        : waiting.contains { $0.isActive && (!$0.isDrill || shown.alert.isDrill) && outside.isUnsent($0) }
          || reading.hasUnsentCall(beside: shown.alert)
      let isEndUnsent = shown.alert.isActive ? false : try reading.isEndUnsent(of: id, outside.ends)
      let newestPress = try reading.newestAcceptedPress(of: id)
      return AlertStatus(
        alert: shown.alert,
        newestUpdate: try waiting.newestCall(beside: shown.alert) ?? reading.newestUpdate(of: id),
        otherActive: try others.map { OtherActiveAlert($0, newestUpdate: try reading.newestUpdate(of: $0.id)) },
        toEnd: toEnd,
        stage: shown.acceptedAt == nil || hasUnsentCall ? .saved : .accepted,
        acceptedAt: hasUnsentCall ? nil : newestPress?.acceptedAt ?? shown.acceptedAt,
        newestPressAt: newestPress?.pressedAt,
        responders: responders.withoutRefutedGaps,
        safeReceipts: isEndUnsent ? [] : try reading.receiptsOfEnd(id, in: receipts).withoutRefutedGaps,
        sync: sync,
        discarded: discarded,
        isEndUnsent: isEndUnsent,
        nobodyIsTold: shown.alert.isActive ? try reading.nobodyIsTold(receipts: responders) : nil
      )
    }
  }

  /// The receipts of "safe now" of these alerts, without those whose end the server does not have.
  package func safeReceipts(of ids: [AlertID]) throws(LocalStoreError) -> [Receipt] {
    let outside = waitingAlerts()
    return try file.read { reading in
      try ids.flatMap { id in
        guard try !reading.isEndUnsent(of: id, outside.ends) else { return [] as [Receipt] }
        return try reading.receiptsOfEnd(id, in: reading.receipts(of: id)).withoutRefutedGaps
      }
    }
  }

  /// The presses that an alert other than their own carries, by the id that their own would have.
  package func carriedPresses() throws(LocalStoreError) -> [AlertID: AlertID] {
    let carried = try file.read { reading in
      try reading.readableRows("SELECT id, alert_id FROM presses WHERE alert_id <> id ORDER BY number") { row in
        (try row["id", as: AlertID.self], try row["alert_id", as: AlertID.self])
      }
    }
    return Dictionary(carried, uniquingKeysWith: { $1 })
  }

  /// The newest call for help that the server has not accepted, with the alert that carries it; nil if the server has them all.
  package func unsentCall() throws(LocalStoreError) -> (alert: Alert, press: AlertID)? {
    try file.read { reading in
      try reading.row(
        """
        SELECT a.id, started_at, ended_at, message, latitude, longitude, drill, coalesce(p.id, a.id) AS press
        FROM alerts a
        LEFT JOIN presses p ON p.alert_id = a.id AND p.accepted_at IS NULL
        WHERE ended_at IS NULL AND discarded_at IS NULL AND only_contact IS NULL AND (p.id IS NOT NULL OR a.accepted_at IS NULL)
        ORDER BY drill, p.number DESC, list_order DESC LIMIT 1
        """
      ) { row in (alert: try Alert(row: row), press: try row["press", as: AlertID.self]) }
    }
  }

  /// The newest alert whose end the server does not have yet; nil if there is none.
  package func unsentEnd() throws(LocalStoreError) -> Alert? {
    try file.read { reading in
      try reading.row(
        """
        SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts
        WHERE ended_at IS NOT NULL AND only_contact IS NULL AND id IN (
          SELECT entity_id FROM pending_mutations WHERE kind = 'alert.deactivate' AND parked_at IS NULL)
        ORDER BY list_order DESC LIMIT 1
        """, row: Alert.init(row:))
    }
  }

  /// How far the press that `activateAlert` named got; nil if the store does not know it.
  package func pressProgress(_ press: AlertID) throws(LocalStoreError) -> PressProgress? {
    try file.read { try $0.progress(of: press) }
  }
}

/// An alert that is shown.
private struct ShownAlert {
  var alert: Alert
  var acceptedAt: Timestamp?

  /// The columns of `Alert(row:)`, and `accepted_at`.
  init(row: borrowing Row) throws(SQLiteError) {
    alert = try Alert(row: row)
    acceptedAt = try row["accepted_at"]
  }
}

/// An alert that may be the last one.
private struct EndedAlert {
  let shown: ShownAlert
  /// When it was over for the server, with its place in the history. One whose end the server does not have comes after all others, but not
  /// if a person discarded that end.
  let order: (Timestamp, Int64)

  init(row: borrowing Row) throws(SQLiteError) {
    shown = try ShownAlert(row: row)
    order = (try row["over_at", as: Timestamp?.self] ?? Timestamp(milliseconds: .max), try row["list_order"])
  }
}

extension Alert {
  /// Whether this alert, which the store does not have, is shown instead of the store's.
  fileprivate func isShown(before shown: Alert?) -> Bool {
    guard let shown else { return true }
    if isActive { return !shown.isActive || shown.isDrill }
    return !shown.isActive && startedAt > shown.startedAt
  }
}

/// A contact by one channel.
private struct Recipient: Hashable {
  let contactID: ContactID
  let channel: Channel.Kind
}

extension [Receipt] {
  /// Without the receipts of an older call that a newer one supersedes. A person's acknowledgement stays.
  fileprivate var withoutSuperseded: [Receipt] {
    filter { older in !contains { $0.supersedes(older) } }
  }

  /// Of receipts of several alerts those of one alert for each contact and channel: the newest answer, or else whatever got furthest.
  fileprivate var bestOfAlerts: [Receipt] {
    let groups = Dictionary(grouping: self) { Recipient(contactID: $0.contactID, channel: $0.channel) }
    return groups.values.flatMap { group in
      let best = group.max { $0.isWorse(than: $1) }
      return group.filter { $0.alertID == best?.alertID }
    }
  }

  /// Without "no way to reach them" of contacts who are told all the same: in their inbox, or by a channel added since.
  fileprivate var withoutRefutedGaps: [Receipt] {
    filter { gap in
      gap.channel != .noChannel || !contains { $0.contactID == gap.contactID && $0.state != .failed }
    }
  }
}

extension Receipt {
  /// Whether a person answered: that they come, or why not. Other reasons of a message that was seen are the server's, which say nothing
  /// of what they answered to another alert: an answer that lapsed, or a number that was changed.
  private var isAnswer: Bool { state == .acknowledged || state == .seen && reason.map(Self.refusals.contains) == true }

  private static let refusals = Set(ResponderAnswer.allCases.compactMap(\.receiptReason))

  /// Whether `other`, of another alert, says more of the same responder.
  fileprivate func isWorse(than other: Receipt) -> Bool {
    if isAnswer != other.isAnswer { return other.isAnswer }
    if isAnswer || state == other.state { return (at, id.description) < (other.at, other.id.description) }
    return progress < other.progress
  }

  private var progress: Int {
    switch state {
    case .failed: 0
    case .queued: 1
    case .sent: 2
    case .seen: 3
    case .acknowledged: 4
    }
  }

  /// Whether this belongs to a newer call to the same contact by the same kind of channel, and says no less than `older`; or to the contact
  /// as they are now, and `older` to an earlier number of theirs.
  fileprivate func supersedes(_ older: Receipt) -> Bool {
    if older.isOfEarlierNumber { return contactID == older.contactID && !isOfEarlierNumber }
    guard contactID == older.contactID, channel == older.channel, channel != .noChannel,
      id.createdAt > older.id.createdAt
    else { return false }
    switch older.state {
    case .sent: return state != .failed
    case .failed: return state != .failed && state != .queued
    // The same answer, of which a reminder reached them too.
    case .seen, .acknowledged: return state == older.state && reason == older.reason
    case .queued: return false
    }
  }
}

extension StoreReading {
  /// How far the press got; nil if the store does not know it.
  func progress(of press: AlertID) throws -> PressProgress? {
    try row(
      """
      SELECT a.id, CASE WHEN p.alert_id IS NULL OR p.alert_id = p.id THEN a.accepted_at ELSE p.accepted_at END AS accepted_at
      FROM alerts a LEFT JOIN presses p ON p.id = ?1 WHERE a.id = coalesce(p.alert_id, ?1)
      """, SQLiteValue(press)
    ) { row in PressProgress(alertID: try row["id"], acceptedAt: try row["accepted_at"]) }
  }

  /// How many active alerts are shown at most.
  private static let shownAlertLimit = 33

  /// The active alerts, real ones before drills, then the one first that was raised first.
  ///
  /// - Parameter ends: those that the store does not have.
  fileprivate func activeAlerts(_ ends: [UnsavedEnd]) throws -> [ShownAlert] {
    let rows = try rows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at
      FROM alerts INDEXED BY alerts_active WHERE ended_at IS NULL AND discarded_at IS NULL AND only_contact IS NULL
      ORDER BY drill, list_order LIMIT ?
      """, .integer(Int64(ends.count + Self.shownAlertLimit)), row: ShownAlert.init(row:))
    return rows.filter { ends.applied(to: $0.alert).isActive }
  }

  /// The last alert, where none is active: one whose end the server does not have, or else the one whose end it got last, by its clock. The
  /// order of the history does not say it: a device sends an active alert before older ones.
  ///
  /// The last ones of that order and the one that was raised last are compared, so that a long history costs nothing.
  ///
  /// - Parameter ends: those that the store does not have.
  fileprivate func lastAlert(_ ends: [UnsavedEnd]) throws -> ShownAlert? {
    let newest = try rows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at, list_order,
        coalesce(end_accepted_at, CASE WHEN end_discarded_at IS NOT NULL THEN accepted_at END) AS over_at
      FROM alerts WHERE discarded_at IS NULL AND only_contact IS NULL ORDER BY list_order DESC LIMIT 8
      """, row: EndedAlert.init(row:))
    let raisedLast = try rows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at, list_order,
        coalesce(end_accepted_at, CASE WHEN end_discarded_at IS NOT NULL THEN accepted_at END) AS over_at
      FROM alerts WHERE discarded_at IS NULL AND only_contact IS NULL ORDER BY id DESC LIMIT 1
      """, row: EndedAlert.init(row:))
    var last = (newest + raisedLast).max { $0.order < $1.order }?.shown
    if let alert = last?.alert { last?.alert = ends.applied(to: alert) }
    return last
  }

  /// An alert that a person discarded, if it is the newest of all.
  ///
  /// - Parameter other: the newest that was not discarded.
  fileprivate func newestAlertIfDiscarded(_ other: Alert?) throws -> Alert? {
    let newest = try row(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, discarded_at
      FROM alerts WHERE only_contact IS NULL ORDER BY list_order DESC LIMIT 1
      """
    ) { row in (alert: try Alert(row: row), isDiscarded: try !row.isNull("discarded_at")) }
    guard let newest, newest.isDiscarded else { return nil }
    // It has no place in the server's order, and stays at the end of the list.
    if let other, newest.alert.startedAt < other.startedAt { return nil }
    return newest.alert
  }

  /// Whether the server lacks a call for help that is as urgent as the alert.
  fileprivate func hasUnsentCall(beside alert: Alert) throws -> Bool {
    guard alert.isActive else { return try hasPendingCall(of: alert.id) }
    return try value(
      """
      SELECT EXISTS (
        SELECT 1 FROM alerts a INDEXED BY alerts_active
        WHERE ended_at IS NULL AND discarded_at IS NULL AND only_contact IS NULL AND drill <= ?
          AND (accepted_at IS NULL OR EXISTS (
            SELECT 1 FROM pending_mutations m INDEXED BY pending_mutations_updates
            WHERE m.entity_id = a.id AND m.kind = 'alert.update' AND instr(m.body, ?) = 0)))
      """, SQLiteValue(alert.isDrill), .text(MutationBody.noCall)) ?? false
  }

  /// Whether the server does not have the alert's end.
  ///
  /// - Parameter ends: those that the store does not have.
  fileprivate func isEndUnsent(of id: AlertID, _ ends: [UnsavedEnd]) throws -> Bool {
    try isEndUnsent(of: id) || ends.end(of: id)?.isReceived == false
  }

  /// Whether the alert's end waits in the queue, or a person discarded it there.
  private func isEndUnsent(of id: AlertID) throws -> Bool {
    try value(
      """
      SELECT EXISTS (
          SELECT 1 FROM pending_mutations INDEXED BY pending_mutations_entity
          WHERE entity_id = ?1 AND kind = 'alert.deactivate')
        OR EXISTS (SELECT 1 FROM alerts WHERE id = ?1 AND end_discarded_at IS NOT NULL AND end_accepted_at IS NULL)
      """, SQLiteValue(id)) ?? false
  }

  /// The receipts of "safe now". Those of an earlier end, after which help was called for again, say nothing of this end.
  fileprivate func receiptsOfEnd(_ id: AlertID, in receipts: [Receipt]) throws -> [Receipt] {
    let end = try row("SELECT end_accepted_at FROM alerts WHERE id = ? AND ended_at IS NOT NULL", SQLiteValue(id)) {
      row in
      try row["end_accepted_at", as: Timestamp?.self]
    }
    guard let end else { return [] }
    return receipts.filter { receipt in
      receipt.notice == .deactivated && (end.map { receipt.at >= $0 } ?? true)
    }
  }

  /// When the newest further call of the alert that the server has was made, and when the server accepted it; nil if there is none.
  fileprivate func newestAcceptedPress(of id: AlertID) throws -> (pressedAt: Timestamp, acceptedAt: Timestamp)? {
    try row(
      """
      SELECT id, accepted_at FROM presses
      WHERE alert_id = ? AND accepted_at IS NOT NULL ORDER BY accepted_at DESC, number DESC LIMIT 1
      """, SQLiteValue(id)
    ) { row in (pressedAt: try row["id", as: AlertID.self].createdAt, acceptedAt: try row["accepted_at"]) }
  }

  /// The receipts of "help" without those that say less than others, by responder.
  ///
  /// - Parameters:
  ///   - receipts: of the alert that is shown.
  ///   - others: the alerts that are active beside it.
  fileprivate func helpReceipts(_ receipts: [Receipt], _ others: [Alert]) throws -> [Receipt] {
    let own = receipts.filter { $0.notice == .activated }.withoutSuperseded
    guard !others.isEmpty else { return own }
    let all = try others.reduce(into: own) { all, other in
      all += try self.receipts(of: other.id).filter { $0.notice == .activated }.withoutSuperseded
    }
    return all.bestOfAlerts.sorted { ($0.contactName, $0.id.description) < ($1.contactName, $1.id.description) }
  }

  func receipts(of id: AlertID) throws -> [Receipt] {
    try rows(
      """
      SELECT id, alert_id, contact_id, contact_name, notice, channel, state, at, reason FROM receipts
      WHERE alert_id = ? ORDER BY contact_name, id
      """, SQLiteValue(id), row: Receipt.init(row:))
  }

  fileprivate func syncOverview(_ counting: QueueCounting) throws -> SyncOverview {
    let values = try stateValues()
    let counts = try counting == .exact ? queueCounts() : boundedQueueCounts()
    let lanes = try Lane.allCases.map { try laneState($0, values, counts) }
    return SyncOverview(
      // A bounded count may leave out what is parked.
      pending: max(0, counts.total - counts.parked),
      parked: counts.parked,
      lastSuccessAt: values.timestamp(.lastSuccessAt),
      nextAttemptAt: lanes.compactMap { $0.count > 0 ? $0.nextAttemptAt : nil }.min(),
      lastError: values[.lastError],
      lastErrorKind: values[.lastErrorKind],
      signedIn: values.session.map { !$0.isExpired } ?? false,
      serverOffsetMilliseconds: values.integer(.serverOffset),
      isSessionExpired: values.session?.isExpired == true && values[.alertKeyRefused] == nil,
      isDeviceRefused: values.session?.isExpired == true && values[.alertKeyRefused] != nil
    )
  }
}
