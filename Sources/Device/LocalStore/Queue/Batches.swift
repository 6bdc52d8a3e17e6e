import Model
import PlantedBugs
import SQLiteKit
import Wire

/// Gathers the rows of one exchange.
struct BatchBuilder {
  typealias QueuedRow = (sequence: Int64, mutation: SyncRequestWriter.QueuedMutation)
  typealias QueuedRequest = (sequence: Int64, request: NotificationRequest)

  /// What a request adds to a body, at most.
  private static let bytesPerItem = 260

  let reading: StoreReading
  let selection: BatchSelection
  /// Leaves out rows that cannot be read.
  var skipsUnreadableRows = false
  /// Leaves out the routine lane's rows up to this sequence.
  var after = SQLiteValue.firstRoutineSequence

  func build() throws -> Batch {
    let values = try reading.stateValues()
    guard let deviceID = values[.deviceID].flatMap({ DeviceID($0) }) else {
      throw SQLiteError.unreadableValue(of: "device_id")
    }
    var rows: [QueuedRow] = []
    var notifications: [QueuedRequest] = []
    switch selection.lane {
    case .emergency:
      rows = try emergencies()
      notifications = try self.notifications(behind: rows)
    case .routine where !selection.isAlertKeyOnly: rows = try routine()
    case .routine: break
    }
    if PlantedBug.fifoBroken.isPlanted { rows.reverse() }
    if PlantedBug.queueSortedByClock.isPlanted { rows.sort { $0.mutation.id.description < $1.mutation.id.description } }
    return Batch(
      lane: selection.lane, mutations: rows.map(\.mutation), notifications: notifications.map(\.request),
      cursor: selection.isAlertKeyOnly ? nil : values[.cursor],
      newestCursor: selection.isAlertKeyOnly ? nil : values[.newestCursor], deviceID: deviceID,
      isAlertKeyOnly: selection.isAlertKeyOnly, accountID: values[.accountID].flatMap { AccountID($0) },
      mutationSequences: rows.map(\.sequence),
      notificationSequences: notifications.map(\.sequence), unconfirmed: values[.unconfirmed],
      newestSequence: try reading.newestSequence())
  }

  /// Sends current alerts alone. Alerts that were over before the server had them, such as a history that is offered again to a restored
  /// server, follow when nothing else waits: the server may delay them, and a call for help must not wait behind them. Nor behind the
  /// places that were reported before it.
  private func emergencies() throws -> [QueuedRow] {
    for (isHistory, isPlace) in [(false, false), (false, true), (true, false), (true, true)] {
      let rows = try emergencies(ofHistory: isHistory, ofPlaces: isPlace)
      if !rows.isEmpty { return rows }
    }
    return []
  }

  private func emergencies(ofHistory isHistory: Bool, ofPlaces isPlace: Bool) throws -> [QueuedRow] {
    var collector = Collector(selection: selection, skipsUnreadableRows: skipsUnreadableRows)
    try reading.forEachRow(
      """
      SELECT sequence, id, kind, entity_id, occurred_at, body
      FROM pending_mutations m NOT INDEXED
      WHERE sequence < ? AND parked_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM pending_mutations p
        WHERE p.entity_id = m.entity_id AND p.sequence < m.sequence AND p.parked_at IS NOT NULL)
      AND EXISTS (
        SELECT 1 FROM alerts a
        WHERE a.id = m.entity_id AND a.ended_at IS NOT NULL AND a.accepted_at IS NULL) = ?
      AND (kind = 'alert.update' AND instr(body, ?) > 0) = ?
      ORDER BY sequence LIMIT ?
      """, .firstRoutineSequence, SQLiteValue(isHistory), .text(MutationBody.noCall), SQLiteValue(isPlace),
      .integer(Int64(selection.maximumItems))
    ) { try collector.add($0) }
    return collector.rows
  }

  private func routine() throws -> [QueuedRow] {
    var collector = Collector(selection: selection, skipsUnreadableRows: skipsUnreadableRows)
    try reading.forEachRow(
      """
      SELECT sequence, id, kind, entity_id, occurred_at, body FROM pending_mutations m NOT INDEXED
      WHERE sequence > ? AND parked_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM pending_mutations p
        WHERE p.entity_id = m.entity_id AND p.sequence < m.sequence AND p.parked_at IS NOT NULL)
      ORDER BY sequence LIMIT ?
      """, after, .integer(Int64(selection.maximumItems))
    ) { try collector.add($0) }
    return collector.rows
  }

  /// Collects mutations up to the batch's bounds; the first one always.
  private struct Collector {
    let selection: BatchSelection
    let skipsUnreadableRows: Bool
    private(set) var rows: [QueuedRow] = []
    private var byteCount = 0
    /// Mutations behind one that is left out wait for it, as behind a parked one.
    private var heldEntities: Set<String> = []

    init(selection: BatchSelection, skipsUnreadableRows: Bool) {
      self.selection = selection
      self.skipsUnreadableRows = skipsUnreadableRows
    }

    mutating func add(_ row: borrowing Row) throws -> Statement.RowLoop {
      if !heldEntities.isEmpty, heldEntities.contains(try row["entity_id"]) { return .goOn }
      let mutation: SyncRequestWriter.QueuedMutation
      do {
        mutation = try SyncRequestWriter.QueuedMutation(row: row)
      } catch {
        guard skipsUnreadableRows, error.isUnreadableValue else { throw error }
        heldEntities.insert(try row["entity_id"])
        return .goOn
      }
      let bytes = mutation.body.utf8.count + BatchBuilder.bytesPerItem
      guard byteCount + bytes <= selection.maximumBytes || rows.isEmpty else { return .stop }
      byteCount += bytes
      rows.append((try row["sequence"], mutation))
      return .goOn
    }
  }

  /// The requests whose alert's mutation is in the batch: an alert goes together with the request to notify responders. And at most
  /// `maximumItems` of those whose alert's mutation the server has already, first those of active alerts, last those of drills: the
  /// server may have no room for these for a long time.
  private func notifications(behind rows: [QueuedRow]) throws -> [QueuedRequest] {
    let sent = Set(rows.map(\.sequence))
    var requests: [QueuedRequest] = []
    var lateCount = 0
    try reading.forEachRow(
      """
      SELECT sequence, id, alert_id, kind,
        EXISTS (SELECT 1 FROM pending_mutations m WHERE m.sequence = n.sequence) AS follows_mutation
      FROM pending_notifications n
      WHERE parked_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM pending_mutations p
        WHERE p.entity_id = n.alert_id AND p.sequence <= n.sequence AND p.parked_at IS NOT NULL)
      AND NOT EXISTS (
        SELECT 1 FROM pending_notifications q
        WHERE q.alert_id = n.alert_id AND q.sequence < n.sequence AND q.parked_at IS NOT NULL)
      ORDER BY (SELECT a.drill * 2 + (a.ended_at IS NOT NULL) FROM alerts a WHERE a.id = n.alert_id), sequence
      """
    ) { row in
      let sequence: Int64 = try row["sequence"]
      let followsMutation: Bool = try row["follows_mutation"]
      guard followsMutation ? sent.contains(sequence) : lateCount < selection.maximumItems else { return .goOn }
      do {
        requests.append((sequence, try NotificationRequest(row: row)))
      } catch let error as SQLiteError where skipsUnreadableRows && error.isUnreadableValue {
        return .goOn
      }
      if !followsMutation { lateCount += 1 }
      return requests.count < SyncLimits.maximumItems ? .goOn : .stop
    }
    return requests
  }
}

extension SyncRequestWriter.QueuedMutation {
  /// The columns `id, kind, entity_id, occurred_at, body`.
  init(row: borrowing Row) throws(SQLiteError) {
    self.init(
      id: try row["id"], kind: try row.choice("kind"), entityID: try row["entity_id"],
      occurredAt: try row["occurred_at"],
      body: try row["body"])
  }
}

extension NotificationRequest {
  /// The columns `id, alert_id, kind`.
  init(row: borrowing Row) throws(SQLiteError) {
    self.init(id: try row["id"], alertID: try row["alert_id"], notice: try row.choice("kind"))
  }
}
