package import Model
import SQLiteKit
package import Wire

/// An alert with what the server has to be told of it, under the ids under which it is sent each time.
package struct EmergencyMessage: Sendable {
  package private(set) var alert: Alert
  package private(set) var mutations: [SyncRequestWriter.QueuedMutation]
  package private(set) var notifications: [NotificationRequest]
  /// The calls that it carries beside the one that raised it, oldest first, each as the alert of its own that it becomes where this
  /// one had ended on another device.
  private(set) var furtherCalls: [RaisedAlert] = []
  /// What raised it; nil where the store has it.
  private(set) var raised: RaisedAlert?
  /// Of its calls those that the store does not have.
  package private(set) var outside: [AlertID] = []
  /// The calls of other devices that this one has heard of: an end from here counts for no other.
  private var seenUpdates: [MutationID] = []
  /// It has ended here, and that lies in memory, since the server may not have it.
  package private(set) var unsavedEnd: UnsavedEnd?

  /// A new alert, in memory alone.
  package init(_ draft: AlertDraft, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)) {
    self.init(RaisedAlert(draft, at: moment, random: random))
  }

  init(_ raised: RaisedAlert) {
    self.raised = raised
    outside = [raised.id]
    alert = raised.alert
    mutations = [
      SyncRequestWriter.QueuedMutation(
        id: raised.mutationID, kind: .activateAlert, entityID: EntityID(raised.id),
        occurredAt: raised.activation.startedAt, body: MutationBody.text(of: raised.mutation.change))
    ]
    notifications = [raised.notification]
  }

  /// What is queued of the alert. Rows that were refused, or cannot be read, are left out.
  init(queuedOf alert: Alert, _ connection: Connection, _ identifiers: IdentifierSource) throws {
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
    seenUpdates = try connection.seenUpdates(of: alert.id)
    furtherCalls = try mutations.filter { $0.kind == .updateAlert }.compactMap { update in
      try connection.raisedAnew(by: update, isDrill: alert.isDrill, identifiers)
    }
  }

  /// Whether it carries the call that had this id when it was made.
  package func carries(_ call: AlertID) -> Bool { alert.id == call || furtherCalls.contains { $0.id == call } }

  /// False where it lies outside.
  package var isInStore: Bool { raised == nil }

  /// All of it, the calls that it carries too.
  package var calls: [AlertID] { [alert.id] + furtherCalls.map(\.id) }

  /// The further calls as alerts of their own, oldest first.
  package var anew: [EmergencyMessage] { furtherCalls.map { EmergencyMessage($0) } }

  /// The same, with what a further press says.
  package func calledAgain(
    _ draft: AlertDraft, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)
  ) -> EmergencyMessage {
    calledAgain(RaisedAlert(draft, at: moment, random: random), IdentifierSource(moment: moment, random: random))
  }

  /// Under a new id: that of the press is kept for an alert of its own, should it become one.
  ///
  /// - Parameter isReceived: the server has it, and is not told once more, under another id.
  fileprivate func calledAgain(
    _ press: RaisedAlert, _ identifiers: IdentifierSource, isReceived: Bool = false
  ) -> EmergencyMessage {
    let activation = press.activation
    let update = AlertUpdate(at: activation.startedAt, message: activation.message, location: activation.location)
    var message = self
    message.outside.append(press.id)
    message.furtherCalls.append(press)
    if isReceived { return message }
    message.mutations.append(
      SyncRequestWriter.QueuedMutation(
        id: identifiers.next(), kind: .updateAlert, entityID: EntityID(alert.id), occurredAt: activation.startedAt,
        body: MutationBody.text(of: .updateAlert(update))))
    return message
  }

  /// The same, ended. What was to be told before is told too: the server may not have it.
  package func ended(at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)) -> EmergencyMessage {
    ended(by: end(at: moment, random: random))
  }

  /// Its end, as it was made before, else a new one: that of another alert, which it was to update, is not its own.
  package func end(at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)) -> UnsavedEnd {
    if let unsavedEnd, unsavedEnd.alertID == alert.id { return unsavedEnd }
    return UnsavedEnd(
      of: alert, calls: calls, seenUpdates: seenUpdates, at: moment, IdentifierSource(moment: moment, random: random))
  }

  package func ended(by end: UnsavedEnd) -> EmergencyMessage {
    var message = self
    message.alert.end(at: end.endedAt)
    message.mutations.append(
      SyncRequestWriter.QueuedMutation(
        id: end.mutationID, kind: .deactivateAlert, entityID: EntityID(alert.id), occurredAt: end.endedAt,
        body: MutationBody.text(of: end.mutation.change)))
    message.notifications.append(end.notification)
    return message
  }

  /// What is active, or may be, for everybody else: the store's alerts and those that wait in the spool, as they will be once the
  /// store has taken them in, then those that were raised in memory, which are alerts of their own. One that has ended here is among
  /// them for as long as the server may not have its end.
  package static func active(
    _ access: EmergencyAccess, _ home: HomeDirectory, _ volatile: VolatileAlerts?, at moment: Moment,
    random: @escaping @Sendable () -> (UInt64, UInt64)
  ) -> [EmergencyMessage] {
    let identifiers = IdentifierSource(moment: moment, random: random)
    let contents = volatile?.contents ?? VolatileAlerts.Contents()
    let ends = contents.ends.map(\.end)
    let received = Set(contents.received.map(\.call))
    let isOutside = { (raised: RaisedAlert) in
      ends.end(of: raised.id)?.isReceived != true && !EmergencyAccess.isTakenIn(raised.id, home)
    }
    var messages = access.active.filter { ends.end(of: $0.alert.id)?.isReceived != true }
      .map { $0.having(ends.end(of: $0.alert.id)) }
    let spooled = ((try? Spool.read(home))?.alerts ?? []).map(\.raised).filter(isOutside)
    for press in RaisedAlert.inOrder(spooled, \.self) {
      if let place = messages.firstIndex(where: { $0.takes(press, ends) }) {
        messages[place] = messages[place].calledAgain(press, identifiers, isReceived: received.contains(press.id))
      } else if !press.activation.isDrill || messages.allSatisfy({ $0.unsavedEnd != nil }) {
        messages.append(EmergencyMessage(press).having(ends.end(of: press.id)))
      }  // A drill adds nothing to a real alert.
    }
    messages += contents.raised.map(\.raised).filter(isOutside).map { EmergencyMessage($0).having(ends.end(of: $0.id)) }
    for press in RaisedAlert.inOrder(contents.calls.map(\.raised).filter(isOutside), \.self) {
      if let place = messages.lastIndex(where: { $0.takes(press, ends) }) {
        messages[place] = messages[place].calledAgain(press, identifiers, isReceived: received.contains(press.id))
      } else {
        messages.append(EmergencyMessage(press).having(ends.end(of: press.id)))
      }
    }
    return messages
  }

  private func having(_ end: UnsavedEnd?) -> EmergencyMessage {
    var message = self
    message.unsavedEnd = end
    return message
  }

  /// Whether the press is a further call in this alert: one that was made before its end, where it has one.
  private func takes(_ press: RaisedAlert, _ ends: [UnsavedEnd]) -> Bool {
    alert.isDrill == press.activation.isDrill && unsavedEnd == ends.end(of: press.id)
  }

  /// What is queued in the store of each alert, active or not; empty where nothing is.
  package static func queued(_ store: LocalStore, at moment: Moment) throws(LocalStoreError) -> [EmergencyMessage] {
    let identifiers = store.identifiers(at: moment)
    return try store.file.read { connection in
      let alerts = try connection.statement(
        """
        SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts WHERE id IN (
          SELECT entity_id FROM pending_mutations WHERE lane = 'emergency' AND parked_at IS NULL) ORDER BY drill, list_order
        """
      ).allReadable { try $0.alert() }
      return try alerts.map { try EmergencyMessage(queuedOf: $0, connection, identifiers) }
    }
  }

  /// The body of the request that tells the server, at that time by the device's clock.
  package func body(deviceID: DeviceID, sentAt: Timestamp) -> [UInt8] {
    SyncRequestWriter.body(
      deviceID: deviceID, cursor: nil, mutations: mutations, notifications: notifications, limit: 1, sentAt: sentAt)
  }
}
