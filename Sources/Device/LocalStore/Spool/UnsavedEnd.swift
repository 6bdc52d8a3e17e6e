import Model
import SQLiteKit
import Wire

/// The end of an alert, under the ids under which it is sent, where the store could not take it: a file in memory.
///
/// What it ends is shown as ended, takes no further call for help, and comes into the store together with it.
package struct UnsavedEnd: Hashable, Sendable {
  let alertID: AlertID
  let mutationID: MutationID
  let notificationID: NotificationID
  let deactivation: AlertDeactivation
  /// The calls for help that it ends: the alert, and those that were to become updates of it.
  let calls: [AlertID]
  /// The server has taken it. The calls that it ends then stay out of the store, where they would get other ids, and be new calls for
  /// help to the server.
  package var isReceived = false

  /// Throws where it could not be written.
  func write(to folder: String) throws(LocalStoreError) {
    try FileSystem.makeFolder(folder)
    try PlainFile.write(json, to: Self.path(of: alertID, in: folder), on: nil)
  }

  static func path(of alertID: AlertID, in folder: String) -> String { "\(folder)/\(alertID).json" }

  /// Those in the folder that can be read, each with its path.
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
  /// Reads such a file.
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
  /// A new one.
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
  /// The one that ends the call; nil where none does.
  func end(of call: AlertID) -> UnsavedEnd? { first { $0.alertID == call } ?? first { $0.calls.contains(call) } }

  /// The alert with its end, where there is one here.
  func applied(to alert: Alert) -> Alert {
    guard alert.isActive, let end = end(of: alert.id) else { return alert }
    var ended = alert
    ended.end(at: end.endedAt)
    return ended
  }
}

extension Connection {
  /// Ends the alert, where it is active, as `deactivateAlerts` does, and each further call that became an alert of its own because
  /// that one had ended already. False where none is active.
  func take(_ end: UnsavedEnd, at moment: Moment, _ identifiers: IdentifierSource) throws -> Bool {
    var isAnyEnded = false
    for call in end.calls where call != end.alertID {
      guard var alert = try setEnd(of: call, end.endedAt) else { continue }
      alert.end(at: end.endedAt)
      try queueEnd(of: alert, identifiers: identifiers, isNotified: true)
      isAnyEnded = true
    }
    guard try setEnd(of: end.alertID, end.endedAt) != nil else { return isAnyEnded }
    let sequence = try queue(end.mutation, at: moment)
    try queue(end.notification, behind: sequence, at: moment)
    return true
  }

  /// Gives the alert where it was active.
  private func setEnd(of id: AlertID, _ time: Timestamp) throws -> Alert? {
    let alert = try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts
      WHERE id = ? AND ended_at IS NULL AND discarded_at IS NULL
      """
    ).first(SQLiteValue(id)) { try $0.alert() }
    guard let alert else { return nil }
    try statement("UPDATE alerts SET ended_at = ? WHERE id = ?").run(SQLiteValue(time), SQLiteValue(id))
    return alert
  }
}
