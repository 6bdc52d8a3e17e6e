package import Model
import SQLiteKit
package import Wire

/// What is needed to send an alert from a home that cannot be written: read from the store without writing a byte.
package struct EmergencyAccess: Sendable {
  package let deviceID: DeviceID
  package let accountID: AccountID
  package let alertKey: String
  /// Whether the person has anybody to be told, as far as this device knows.
  package let hasResponders: Bool
  /// The alerts that are active here, a real one first, each with what of it is still queued.
  package let active: [EmergencyMessage]

  /// Throws where the store cannot be read; nil where nobody is signed in.
  package static func read(_ home: HomeDirectory) throws(LocalStoreError) -> EmergencyAccess? {
    do {
      let connection = try openReadOnly(home)
      defer { connection.close() }
      return try connection.read { try EmergencyAccess(connection) }
    } catch {
      throw LocalStoreError(any: error)
    }
  }

  /// Whether the store has the alert of a file in the spool, so that the file is only left over. True also where the store cannot
  /// be read: nobody knows then, and what may be over must not stand for a new call for help. A store of no bytes never was one:
  /// there was no room to make it.
  static func isTakenIn(_ press: AlertID, _ home: HomeDirectory) -> Bool {
    do {
      guard let status = try FileSystem.status(home.databasePath), status.byteCount > 0 else { return false }
      let connection = try openReadOnly(home)
      defer { connection.close() }
      return try connection.read { try connection.hasPress(press) }
    } catch {
      return true
    }
  }

  /// The log is read where it is there: it may hold the session. A store without one can be read on a disk that takes none.
  private static func openReadOnly(_ home: HomeDirectory) throws -> Connection {
    var options = ConnectionOptions()
    options.createsFile = false
    options.access = try FileSystem.status(home.logPath) == nil ? .immutable : .readOnly
    return try Connection(path: home.databasePath, options: options)
  }

  private init?(_ connection: Connection) throws {
    let values = try connection.stateValues()
    guard let deviceID = values[.deviceID].flatMap({ DeviceID($0) }), let session = values.session else { return nil }
    self.deviceID = deviceID
    accountID = session.accountID
    alertKey = session.alertKey
    hasResponders =
      try connection.statement("SELECT 1 FROM contacts WHERE is_responder = 1 AND is_removed = 0 LIMIT 1")
      .first { _ in true } ?? false
    let alerts = try connection.statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts
      WHERE ended_at IS NULL AND discarded_at IS NULL ORDER BY drill, list_order
      """
    ).allReadable { try $0.alert() }
    active = try alerts.map { alert in try EmergencyMessage(queuedOf: alert, connection) }
  }
}

/// An alert with what the server has to be told of it, under the ids under which it is sent each time.
package struct EmergencyMessage: Sendable {
  package private(set) var alert: Alert
  package private(set) var mutations: [SyncRequestWriter.QueuedMutation]
  package private(set) var notifications: [NotificationRequest]

  /// A new alert, in memory alone.
  package init(_ draft: AlertDraft, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)) {
    self.init(RaisedAlert(draft, at: moment, random: random))
  }

  init(_ raised: RaisedAlert) {
    alert = raised.alert
    mutations = [
      SyncRequestWriter.QueuedMutation(
        id: raised.mutationID, kind: .activateAlert, entityID: EntityID(raised.id),
        occurredAt: raised.activation.startedAt, body: MutationBody.text(of: raised.mutation.change))
    ]
    notifications = [raised.notification]
  }

  /// What is queued of the alert. Rows that were refused, or cannot be read, are left out.
  fileprivate init(queuedOf alert: Alert, _ connection: Connection) throws {
    self.alert = alert
    mutations = try connection.statement(
      """
      SELECT id, kind, entity_id, occurred_at, body FROM pending_mutations
      WHERE entity_id = ? AND parked_at IS NULL ORDER BY sequence
      """
    ).allReadable(SQLiteValue(alert.id)) { row in
      SyncRequestWriter.QueuedMutation(
        id: try row.identifier(0), kind: try row.enumeration(1), entityID: try row.identifier(2),
        occurredAt: row.time(3), body: row.text(4))
    }
    notifications = try connection.statement(
      "SELECT id, alert_id, kind FROM pending_notifications WHERE alert_id = ? AND parked_at IS NULL ORDER BY sequence"
    ).allReadable(SQLiteValue(alert.id)) { row in
      NotificationRequest(id: try row.identifier(0), alertID: try row.identifier(1), notice: try row.enumeration(2))
    }
  }

  /// The same, with what a further press says.
  func calledAgain(_ press: RaisedAlert) -> EmergencyMessage {
    let activation = press.activation
    let update = AlertUpdate(at: activation.startedAt, message: activation.message, location: activation.location)
    var message = self
    message.mutations.append(
      SyncRequestWriter.QueuedMutation(
        id: press.mutationID, kind: .updateAlert, entityID: EntityID(alert.id), occurredAt: activation.startedAt,
        body: MutationBody.text(of: .updateAlert(update))))
    return message
  }

  /// The same, ended. What was to be told before is told too: the server may not have it.
  package func ended(at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)) -> EmergencyMessage {
    let identifiers = IdentifierSource(moment: moment, random: random)
    var message = self
    message.alert.end(at: moment.wall)
    let endedAt = message.alert.endedAt ?? moment.wall
    message.mutations.append(
      SyncRequestWriter.QueuedMutation(
        id: identifiers.next(), kind: .deactivateAlert, entityID: EntityID(alert.id), occurredAt: endedAt,
        body: MutationBody.text(of: .deactivateAlert(AlertDeactivation(endedAt: endedAt)))))
    message.notifications.append(
      NotificationRequest(id: identifiers.next(), alertID: alert.id, notice: .deactivated))
    return message
  }

  /// The alert as its file in the spool has it; nil where there is none.
  package static func spooled(_ id: AlertID, _ home: HomeDirectory) -> EmergencyMessage? {
    (try? Spool.read(home))?.alerts.first { $0.raised.id == id }.map { EmergencyMessage($0.raised) }
  }

  /// The alerts that lie in the spool, or in memory, and that the store does not have.
  package static func outsideOfStore(_ home: HomeDirectory, _ volatile: VolatileAlerts?) -> [EmergencyMessage] {
    let files = ((try? Spool.read(home))?.alerts ?? []) + (volatile?.files ?? [])
    return files.map(\.raised).filter { !EmergencyAccess.isTakenIn($0.id, home) }.map { EmergencyMessage($0) }
  }

  /// What is queued in the store of an alert that may have ended meanwhile.
  package static func queued(_ alert: Alert, _ store: LocalStore) throws(LocalStoreError) -> EmergencyMessage {
    try store.file.read { try EmergencyMessage(queuedOf: alert, $0) }
  }

  /// The body of the request that tells the server.
  package func body(deviceID: DeviceID) -> [UInt8] {
    SyncRequestWriter.body(
      deviceID: deviceID, cursor: nil, mutations: mutations, notifications: notifications, limit: 1)
  }
}
