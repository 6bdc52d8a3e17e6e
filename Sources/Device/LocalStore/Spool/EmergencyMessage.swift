package import Model
import SQLiteKit
package import Wire

/// An alert with everything that the server has to be sent of it, under ids that stay the same at each attempt.
package struct EmergencyMessage: Sendable {
  package private(set) var alert: Alert
  package private(set) var mutations: [SyncRequestWriter.QueuedMutation]
  package private(set) var notifications: [NotificationRequest]
  /// The further calls in this alert, oldest first, each as the alert of its own that it becomes if this one had ended on another device.
  private(set) var furtherCalls: [RaisedAlert] = []
  /// Those of them that the server is not known to have.
  private var unsentCalls: [RaisedAlert] = []
  /// The press that raised it; nil if the store has it.
  private(set) var raised: RaisedAlert?
  /// Those of its calls that the store does not have.
  package private(set) var outside: [AlertID] = []
  /// The calls of other devices that this one knows: an end from here covers no others.
  private var seenUpdates: [MutationID] = []
  /// Its end, kept in memory because the server may not have it; nil if it has not ended here.
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

  /// The queued items of the alert, without rejected ones and rows that cannot be read, and without places alone: refused, they must not
  /// become alerts.
  init(queuedOf alert: Alert, _ reading: StoreReading, _ identifiers: IdentifierSource) throws {
    self.alert = alert
    mutations = try reading.readableRows(
      """
      SELECT id, kind, entity_id, occurred_at, body FROM pending_mutations
      WHERE entity_id = ? AND parked_at IS NULL AND (kind <> 'alert.update' OR instr(body, ?) = 0) ORDER BY sequence
      """, SQLiteValue(alert.id), .text(MutationBody.noCall), row: SyncRequestWriter.QueuedMutation.init(row:))
    notifications = try reading.readableRows(
      "SELECT id, alert_id, kind FROM pending_notifications WHERE alert_id = ? AND parked_at IS NULL ORDER BY sequence",
      SQLiteValue(alert.id), row: NotificationRequest.init(row:))
    seenUpdates = try reading.seenUpdates(of: alert.id)
    furtherCalls = try mutations.filter { $0.kind == .updateAlert }.map { update in
      try reading.separateAlert(of: update, isDrill: alert.isDrill, identifiers)
    }
    unsentCalls = furtherCalls
  }

  /// Whether it carries the call with this id.
  package func carries(_ call: AlertID) -> Bool { alert.id == call || furtherCalls.contains { $0.id == call } }

  /// Whether the store has the alert.
  package var isInStore: Bool { raised == nil }

  /// The ids of all its calls.
  package var calls: [AlertID] { [alert.id] + furtherCalls.map(\.id) }

  /// The further calls as alerts of their own, oldest first.
  package var anew: [EmergencyMessage] { furtherCalls.map { EmergencyMessage($0) } }

  /// The alerts that may have been made of the further calls, if this one had ended: one of those that the store sends, and one of each of
  /// the others.
  package var perhapsAnew: [EmergencyMessage] {
    let stored = furtherCalls.filter { !outside.contains($0.id) }
    return ([stored.asOne].compactMap { $0 } + furtherCalls.filter { outside.contains($0.id) }).map {
      EmergencyMessage($0)
    }
  }

  /// The newest further call as an alert of its own, with what the server has not heard of the earlier ones; nil if there is none.
  package var newestAnew: EmergencyMessage? {
    guard let newest = unsentCalls.last ?? furtherCalls.last else { return nil }
    let earlier = unsentCalls.filter { $0.id != newest.id }
    return (earlier + [newest]).asOne.map { EmergencyMessage($0) }
  }

  /// The same, with a further press.
  package func calledAgain(
    _ draft: AlertDraft, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)
  ) -> EmergencyMessage {
    calledAgain(RaisedAlert(draft, at: moment, random: random))
  }

  /// - Parameter isReceived: the server has the press, and need not be told again.
  fileprivate func calledAgain(_ press: RaisedAlert, isReceived: Bool = false) -> EmergencyMessage {
    var message = self
    message.outside.append(press.id)
    message.furtherCalls.append(press)
    if isReceived { return message }
    message.unsentCalls.append(press)
    message.mutations.append(
      SyncRequestWriter.QueuedMutation(
        id: press.updateID, kind: .updateAlert, entityID: EntityID(alert.id),
        occurredAt: press.activation.startedAt, body: MutationBody.text(of: .updateAlert(press.update))))
    return message
  }

  /// The same, ended. What was sent before is sent too: the server may not have it.
  package func ended(at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)) -> EmergencyMessage {
    ended(by: end(at: moment, random: random))
  }

  /// Its end as it was made before, or a new one. The end of another alert, which it was to update, is not its own.
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

  /// The alerts that are active for the server, or may be: those in the store and in the spool, as they will be once the spool is
  /// imported, then those in memory, which are alerts of their own. An alert that has ended here is included while the server may lack its
  /// end.
  package static func active(
    _ access: EmergencyAccess, _ home: HomeDirectory, _ volatile: VolatileAlerts?
  ) -> [EmergencyMessage] {
    let contents = volatile?.contents ?? VolatileAlerts.Contents()
    let ends = contents.ends.map(\.end)
    let received = Dictionary(contents.received.map { ($0.call, $0) }) { first, _ in first }
    let isOutside = { (raised: RaisedAlert) in
      ends.end(of: raised.id)?.isReceived != true && !EmergencyAccess.isTakenIn(raised.id, home)
    }
    var messages = access.active.filter { ends.end(of: $0.alert.id)?.isReceived != true }
      .map { $0.having(ends.end(of: $0.alert.id)) }
    let spooled = ((try? Spool.read(home))?.alerts ?? []).map(\.raised).filter(isOutside)
    for press in RaisedAlert.inOrder(spooled, \.self) {
      let isAlone = received[press.id]?.alert == press.id
      // Where the server has one as an alert of its own, the alerts from before it are over there.
      let place =
        messages.lastIndex { $0.isKnownAlone(received) && $0.takes(press, ends) }
        ?? messages.firstIndex { $0.takes(press, ends) }
      if !isAlone, let place {
        messages[place] = messages[place].calledAgain(press, isReceived: received[press.id] != nil)
      } else if isAlone || !press.activation.isDrill || messages.allSatisfy({ $0.unsavedEnd != nil }) {
        messages.append(EmergencyMessage(press).having(ends.end(of: press.id)))
      }  // A drill adds nothing to a real alert.
    }
    messages += contents.raised.map(\.raised).filter(isOutside).map { EmergencyMessage($0).having(ends.end(of: $0.id)) }
    // One that a process was about to make an alert of its own is among those.
    let raised = Set(contents.raised.map(\.raised.id))
    let calls = contents.calls.map(\.raised).filter { isOutside($0) && !raised.contains($0.id) }
    for press in RaisedAlert.inOrder(calls, \.self) {
      if let place = messages.lastIndex(where: { $0.takes(press, ends) }) {
        messages[place] = messages[place].calledAgain(press, isReceived: received[press.id] != nil)
      } else {
        messages.append(EmergencyMessage(press).having(ends.end(of: press.id)))
      }
    }
    return messages
  }

  /// Whether the server has the press that raised it as an alert of its own.
  private func isKnownAlone(_ received: [AlertID: VolatileAlerts.Received]) -> Bool {
    raised != nil && received[alert.id]?.alert == alert.id
  }

  /// The alert as a person was shown it, for an end that has heard of no more; nil if they were not shown it.
  package func seen(in shown: [AlertToEnd]) -> EmergencyMessage? {
    guard let shown = shown.first(where: { calls.contains($0.alert.id) }) else { return nil }
    var message = self
    message.seenUpdates = shown.seenUpdates
    return message
  }

  private func having(_ end: UnsavedEnd?) -> EmergencyMessage {
    var message = self
    message.unsavedEnd = end
    return message
  }

  /// Whether the press is a further call in this alert: one made before its end, if it has one.
  private func takes(_ press: RaisedAlert, _ ends: [UnsavedEnd]) -> Bool {
    alert.isDrill == press.activation.isDrill && unsavedEnd == ends.end(of: press.id)
  }

  /// The queued items of each alert in the store, active or not; empty if there are none.
  package static func queued(_ store: LocalStore, at moment: Moment) throws(LocalStoreError) -> [EmergencyMessage] {
    let identifiers = store.identifiers(at: moment)
    return try store.file.read { reading in
      let alerts = try reading.readableRows(
        """
        SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts WHERE id IN (
          SELECT entity_id FROM pending_mutations WHERE lane = 'emergency' AND parked_at IS NULL) ORDER BY drill, list_order
        """, row: Alert.init(row:))
      return try alerts.map { try EmergencyMessage(queuedOf: $0, reading, identifiers) }
    }
  }

  /// The body of the request that sends it, at that time by the device's clock.
  package func body(deviceID: DeviceID, sentAt: Timestamp) -> [UInt8] {
    SyncRequestWriter.body(
      deviceID: deviceID, cursor: nil, mutations: mutations, notifications: notifications, limit: 1, sentAt: sentAt)
  }
}
