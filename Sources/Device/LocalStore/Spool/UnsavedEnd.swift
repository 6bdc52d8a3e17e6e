import Model
import SQLiteKit
import Wire

/// The end of an alert that the store could not save: a file in memory, with the ids under which it is sent.
///
/// The alerts that it ends are shown as ended, take no further call for help, and are imported together with it.
package struct UnsavedEnd: Hashable, Sendable {
  let alertID: AlertID
  let mutationID: MutationID
  let notificationID: NotificationID
  let deactivation: AlertDeactivation
  /// The calls for help that it ends: the alert, and those that were to become updates of it.
  let calls: [AlertID]
  /// The server has accepted it. The calls that it ends then stay out of the store, where they would get other ids, and be new calls for
  /// help to the server.
  package var isReceived = false

  /// Throws if it cannot be written.
  func write(to folder: String) throws(LocalStoreError) {
    try FileSystem.makeFolder(folder)
    try PlainFile.write(json, to: Self.path(of: alertID, in: folder), on: nil)
  }

  static func path(of alertID: AlertID, in folder: String) -> String { "\(folder)/\(alertID).json" }

  /// The readable ones in the folder, each with its path.
  static func read(in folder: String) -> [(end: UnsavedEnd, path: String)] {
    let names = ((try? FileSystem.names(in: folder)) ?? []).filter { $0.hasSuffix(".json") }
    return names.compactMap { name in
      let path = "\(folder)/\(name)"
      guard let bytes = try? PlainFile.read(path, maximumBytes: Spool.maximumFileBytes),
        let end = try? UnsavedEnd(stored: bytes)
      else { return nil }
      return (end, path)
    }
  }

  private var json: [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.member("alert_id", alertID.description)
      $0.member("mutation_id", mutationID.description)
      $0.member("notification_id", notificationID.description)
      $0.member("received", isReceived)
      $0.key("calls")
      $0.array { for call in calls { $0.string(call.description) } }
      $0.key("body")
      MutationBody.write(.deactivateAlert(deactivation), to: &$0)
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }
}

extension UnsavedEnd {
  /// Reads a file.
  private init(stored bytes: [UInt8]) throws {
    let json = try JSONDocument(bytes).root
    self.init(
      alertID: try json.identifier("alert_id"),
      mutationID: try json.identifier("mutation_id"),
      notificationID: try json.identifier("notification_id"),
      deactivation: try AlertDeactivation(stored: json.required("body")),
      calls: try json.array("calls").compactMap { AlertID(stored: try $0.string()) },
      isReceived: try json.boolean("received"))
  }
}

extension UnsavedEnd {
  /// Makes a new one.
  init(
    of alert: Alert, calls: [AlertID], seenUpdates: [MutationID], at moment: Moment, _ identifiers: IdentifierSource
  ) {
    var ended = alert
    ended.end(at: moment.wall)
    self.init(
      alertID: alert.id, mutationID: identifiers.next(), notificationID: identifiers.next(),
      deactivation: AlertDeactivation(endedAt: ended.endedAt ?? moment.wall, seenUpdates: seenUpdates), calls: calls)
  }

  var endedAt: Timestamp { deactivation.endedAt }

  var mutation: Mutation {
    Mutation(
      id: mutationID, entityID: EntityID(alertID), occurredAt: endedAt, change: .deactivateAlert(deactivation))
  }

  var notification: NotificationRequest {
    NotificationRequest(id: notificationID, alertID: alertID, notice: .deactivated)
  }
}

extension [UnsavedEnd] {
  /// The end of the call; nil if there is none.
  func end(of call: AlertID) -> UnsavedEnd? { first { $0.alertID == call } ?? first { $0.calls.contains(call) } }

  /// The alert, with its end if there is one here.
  func applied(to alert: Alert) -> Alert {
    guard alert.isActive, let end = end(of: alert.id) else { return alert }
    var ended = alert
    ended.end(at: end.endedAt)
    return ended
  }
}

extension StoreTransaction {
  /// Ends the alert if it is active, as `deactivateAlerts` does, and each further call that became an alert of its own because that one had
  /// ended already. False if none is active.
  func importEnd(_ end: UnsavedEnd, at moment: Moment, _ identifiers: IdentifierSource) throws -> Bool {
    var isAnyEnded = false
    for call in end.calls where call != end.alertID {
      guard var alert = try setEnd(of: call, end.endedAt) else { continue }
      alert.end(at: end.endedAt)
      try enqueueEnd(of: alert, identifiers: identifiers, isNotified: true)
      isAnyEnded = true
    }
    guard try setEnd(of: end.alertID, end.endedAt) != nil else { return isAnyEnded }
    let sequence = try enqueue(end.mutation, at: moment)
    try enqueue(end.notification, behind: sequence, at: moment)
    return true
  }

  /// Gives the alert if it was active.
  private func setEnd(of id: AlertID, _ time: Timestamp) throws -> Alert? {
    let alert = try row(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts
      WHERE id = ? AND ended_at IS NULL AND discarded_at IS NULL
      """, SQLiteValue(id), row: Alert.init(row:))
    guard let alert else { return nil }
    try run("UPDATE alerts SET ended_at = ? WHERE id = ?", SQLiteValue(time), SQLiteValue(id))
    return alert
  }
}
