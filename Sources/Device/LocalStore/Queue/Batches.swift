import Model
import PlantedBugs
import SQLiteKit
import Wire

/// Gathers the rows of one exchange.
struct BatchBuilder {
  typealias Row = (sequence: Int64, mutation: SyncRequestWriter.QueuedMutation)

  /// What surrounds a body in a request, generously.
  private static let bytesPerItem = 260

  let connection: Connection
  let selection: BatchSelection
  /// Leaves out what cannot be read.
  var isSparing = false

  func build() throws -> Batch {
    let values = try connection.stateValues()
    guard let deviceID = values[.deviceID].flatMap({ DeviceID($0) }) else { throw LocalStoreError.unreadableRow }
    var rows: [Row] = []
    var notifications: [(sequence: Int64, request: NotificationRequest)] = []
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
      newestSequence: try connection.newestSequence())
  }

  /// What is told now goes alone. Alerts that were over before the server had them, as a history that is offered again to a
  /// restored one, follow when nothing else waits: the server may put them off, and whoever calls for help must not stand behind.
  private func emergencies() throws -> [Row] {
    let now = try emergencies(ofHistory: false)
    return now.isEmpty ? try emergencies(ofHistory: true) : now
  }

  private func emergencies(ofHistory isHistory: Bool) throws -> [Row] {
    let statement = try connection.statement(
      """
      SELECT sequence, id, kind, entity_id, occurred_at, body
      FROM pending_mutations m NOT INDEXED
      WHERE sequence < ? AND parked_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM pending_mutations p
        WHERE p.entity_id = m.entity_id AND p.sequence < m.sequence AND p.parked_at IS NOT NULL)
      AND EXISTS (
        SELECT 1 FROM alerts a
        WHERE a.id = m.entity_id AND a.ended_at IS NOT NULL AND a.accepted_at IS NULL) = ?
      ORDER BY sequence LIMIT ?
      """)
    try statement.bind(.firstRoutineSequence, SQLiteValue(isHistory), .integer(Int64(selection.maximumItems)))
    return try take(statement)
  }

  private func routine() throws -> [Row] {
    let statement = try connection.statement(
      """
      SELECT sequence, id, kind, entity_id, occurred_at, body FROM pending_mutations m NOT INDEXED
      WHERE sequence > ? AND parked_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM pending_mutations p
        WHERE p.entity_id = m.entity_id AND p.sequence < m.sequence AND p.parked_at IS NOT NULL)
      ORDER BY sequence LIMIT ?
      """)
    try statement.bind(.firstRoutineSequence, .integer(Int64(selection.maximumItems)))
    return try take(statement)
  }

  /// The requests whose alert's mutation is in the batch: an alert and the wish that responders be told are one. And as many
  /// as the bound says of those whose alert's mutation is with the server already, first those of active alerts, last those of
  /// drills: for these the server may have no room for long.
  private func notifications(
    behind rows: [Row]
  ) throws -> [(sequence: Int64, request: NotificationRequest)] {
    let statement = try connection.statement(
      """
      SELECT sequence, id, alert_id, kind, EXISTS (SELECT 1 FROM pending_mutations m WHERE m.sequence = n.sequence)
      FROM pending_notifications n
      WHERE parked_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM pending_mutations p
        WHERE p.entity_id = n.alert_id AND p.sequence <= n.sequence AND p.parked_at IS NOT NULL)
      AND NOT EXISTS (
        SELECT 1 FROM pending_notifications q
        WHERE q.alert_id = n.alert_id AND q.sequence < n.sequence AND q.parked_at IS NOT NULL)
      ORDER BY (SELECT a.drill * 2 + (a.ended_at IS NOT NULL) FROM alerts a WHERE a.id = n.alert_id), sequence
      """)
    defer { statement.reset() }
    let sent = Set(rows.map(\.sequence))
    var requests: [(sequence: Int64, request: NotificationRequest)] = []
    var late = 0
    while requests.count < SyncLimits.maximumItems, try statement.step() {
      let followsMutation = statement.boolean(4)
      guard followsMutation ? sent.contains(statement.integer(0)) : late < selection.maximumItems else { continue }
      guard let request = try sparing({ try statement.notificationRequest() }) else { continue }
      if !followsMutation { late += 1 }
      requests.append((statement.integer(0), request))
    }
    return requests
  }

  /// Rows up to either bound; the first one always.
  private func take(_ statement: Statement) throws -> [Row] {
    defer { statement.reset() }
    var rows: [Row] = []
    var bytes = 0
    // What stands behind a row that is left out waits for it, as behind a parked one.
    var held: Set<String> = []
    while try statement.step() {
      guard held.isEmpty || !held.contains(statement.text(3)) else { continue }
      guard let mutation = try sparing({ try statement.queuedMutation() }) else {
        held.insert(statement.text(3))
        continue
      }
      let byteCount = mutation.body.utf8.count + Self.bytesPerItem
      guard bytes + byteCount <= selection.maximumBytes || rows.isEmpty else { break }
      bytes += byteCount
      rows.append((statement.integer(0), mutation))
    }
    return rows
  }

  /// nil where the row cannot be read and is to be left out.
  private func sparing<Value>(_ row: () throws -> Value) throws -> Value? {
    do {
      return try row()
    } catch let error as LocalStoreError where isSparing && error == .unreadableRow {
      return nil
    }
  }
}

extension Statement {
  /// The columns from the second on: `id, kind, entity_id, occurred_at, body`.
  fileprivate func queuedMutation() throws(LocalStoreError) -> SyncRequestWriter.QueuedMutation {
    SyncRequestWriter.QueuedMutation(
      id: try identifier(1), kind: try enumeration(2), entityID: try identifier(3), occurredAt: time(4), body: text(5))
  }

  /// The columns from the second on: `id, alert_id, kind`.
  fileprivate func notificationRequest() throws(LocalStoreError) -> NotificationRequest {
    NotificationRequest(id: try identifier(1), alertID: try identifier(2), notice: try enumeration(3))
  }
}
