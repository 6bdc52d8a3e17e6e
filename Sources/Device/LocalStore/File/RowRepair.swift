import Model
import SQLiteKit
import Wire

/// Repairs single rows that cannot be read, in a file that is otherwise whole, so that they do not hold up the others.
///
/// A queued row is never dropped, but for a place or a battery level: parked, it would hold back the calls for help behind it. A further call
/// is restored from its press for the same reason. An alert's row that has lost nothing but its own id gets another id; any other row is parked
/// with the code `unreadable`. Rows of alerts and contacts cannot stay: a new store is made without them, and the old one is set aside.
struct RowRepair {
  /// The code under which unreadable rows are parked.
  static let code = "unreadable"
  private static let message = "its row in the store cannot be read"

  let transaction: StoreTransaction
  let identifiers: IdentifierSource

  /// Repairs what can be repaired in place; gives the number of those rows.
  func repairInPlace() throws -> Int {
    try repairDeviceID() + repairMutations() + repairNotifications() + dropReceipts() + dropInbox()
  }

  /// Removes alerts and contacts that cannot be read from a store that was just salvaged; gives their number. The store that was set
  /// aside still has them.
  func dropUnreadableEntities() throws -> Int {
    let alerts = try transaction.unreadableAlerts()
    let contacts = try transaction.unreadableContacts()
    for id in alerts { try transaction.run("DELETE FROM alerts WHERE id = ?", .text(id)) }
    for id in contacts { try transaction.run("DELETE FROM contacts WHERE id = ?", .text(id)) }
    return alerts.count + contacts.count
  }

  private func repairDeviceID() throws -> Int {
    guard try transaction.value(of: .deviceID).flatMap({ DeviceID($0) }) == nil else { return 0 }
    try transaction.setValue((identifiers.next() as DeviceID).description, for: .deviceID)
    return 1
  }

  /// Drops receipts that cannot be read, and pulls from the start: only the server can send them again.
  private func dropReceipts() throws -> Int {
    let unreadable = try transaction.rows(
      "SELECT rowid AS row, id, alert_id, contact_id, notice, channel, state, contact_name, at, reason FROM receipts"
    ) { row in (number: try row["row", as: Int64.self], isReadable: try row.isReadable(Receipt.init(row:))) }
    .filter { !$0.isReadable }
    for receipt in unreadable { try transaction.run("DELETE FROM receipts WHERE rowid = ?", .integer(receipt.number)) }
    if !unreadable.isEmpty { try transaction.setValue(nil, for: .cursor) }
    return unreadable.count
  }

  /// Drops alerts of the inbox that cannot be read, and pulls from the start: only the server can send them again.
  private func dropInbox() throws -> Int {
    let unreadable = try transaction.rows("SELECT rowid AS row, id, record FROM inbox") { row in
      let isReadable = try row.isReadable { row throws(SQLiteError) in
        let id: InboxID = try row["id"]
        guard try InboxAlert(storedRecord: row["record"]).id == id else { throw .unreadableValue(of: "id") }
      }
      return (number: try row["row", as: Int64.self], isReadable: isReadable)
    }
    .filter { !$0.isReadable }
    for alert in unreadable { try transaction.run("DELETE FROM inbox WHERE rowid = ?", .integer(alert.number)) }
    if !unreadable.isEmpty { try transaction.setValue(nil, for: .cursor) }
    return unreadable.count
  }
}

// Queued rows.
extension RowRepair {
  private typealias UnreadableRow = (sequence: Int64, lacksOnlyItsID: Bool)

  private func repairMutations() throws -> Int {
    let unreadable = try unreadableMutations()
    if !unreadable.isEmpty { try transaction.keepSequences() }
    for (sequence, lacksOnlyItsID) in unreadable {
      if lacksOnlyItsID {
        try transaction.run(
          "UPDATE pending_mutations SET id = ? WHERE sequence = ?", SQLiteValue(identifiers.next() as MutationID),
          .integer(sequence))
        continue
      }
      if try restoreCall(sequence) { continue }
      try transaction.run(
        "DELETE FROM pending_mutations WHERE sequence = ? AND sequence < ? AND instr(body, ?) > 0", .integer(sequence),
        .firstRoutineSequence, .text(MutationBody.noCall))
      try transaction.run(
        """
        UPDATE pending_mutations SET parked_at = ?, parked_code = ?, parked_message = ?, next_attempt_at = 0
        WHERE sequence = ?
        """, SQLiteValue(identifiers.moment.wall), .text(Self.code), .text(Self.message), .integer(sequence))
    }
    return unreadable.count
  }

  /// Makes the row of a further call readable, with the time alone where its words cannot be read. False if no press here has its id.
  private func restoreCall(_ sequence: Int64) throws -> Bool {
    let call = try transaction.row(
      """
      SELECT entity_id, alert_id, occurred_at, body FROM pending_mutations m JOIN presses p ON p.mutation_id = m.id
      WHERE sequence = ? AND sequence < ?
      """, .integer(sequence), .firstRoutineSequence
    ) { row in
      (
        alerts: [try row["entity_id", as: String.self], try row["alert_id", as: String.self]],
        time: try row["occurred_at", as: Timestamp.self], body: try row["body", as: String.self]
      )
    }
    guard let call, let alert = call.alerts.lazy.compactMap({ AlertID(stored: $0) }).first else { return false }
    let body =
      isJSON(call.body)
      ? call.body
      : MutationBody.text(of: .updateAlert(AlertUpdate(at: call.time, message: nil, location: nil)))
    try transaction.run(
      "UPDATE pending_mutations SET entity_id = ?, kind = 'alert.update', body = ? WHERE sequence = ?",
      SQLiteValue(alert), .text(body), .integer(sequence))
    return true
  }

  private func unreadableMutations() throws -> [UnreadableRow] {
    try transaction.rows(
      "SELECT sequence, id, entity_id, kind, body FROM pending_mutations WHERE parked_at IS NULL ORDER BY sequence"
    ) { row -> UnreadableRow? in
      let sequence: Int64 = try row["sequence"]
      let isReadableWithoutID = try row.isReadable { row throws(SQLiteError) in
        let _: EntityID = try row["entity_id"]
        let _: Mutation.Kind = try row.choice("kind")
        guard isJSON(try row["body"]) else { throw .unreadableValue(of: "body") }
      }
      if isReadableWithoutID, try row.isReadable({ row throws(SQLiteError) in let _: MutationID = try row["id"] }) {
        return nil
      }
      // An alert has one effect however many ids it is sent under: its row need not wait for a person.
      return (sequence, isReadableWithoutID && sequence < Lane.routine.firstSequence)
    }.compactMap { $0 }
  }

  private func repairNotifications() throws -> Int {
    let unreadable = try transaction.rows(
      "SELECT sequence, id, alert_id, kind FROM pending_notifications WHERE parked_at IS NULL ORDER BY sequence"
    ) { row -> UnreadableRow? in
      let isReadableWithoutID = try row.isReadable { row throws(SQLiteError) in
        let _: AlertID = try row["alert_id"]
        let _: Notice = try row.choice("kind")
      }
      if isReadableWithoutID, try row.isReadable({ row throws(SQLiteError) in let _: NotificationID = try row["id"] }) {
        return nil
      }
      return (try row["sequence"], isReadableWithoutID)
    }.compactMap { $0 }
    for (sequence, lacksOnlyItsID) in unreadable {
      if lacksOnlyItsID {
        try transaction.run(
          "UPDATE pending_notifications SET id = ? WHERE sequence = ?",
          SQLiteValue(identifiers.next() as NotificationID),
          .integer(sequence))
      } else {
        try transaction.run(
          """
          UPDATE pending_notifications SET parked_at = ?, parked_code = ?, parked_message = ?, next_attempt_at = 0
          WHERE sequence = ?
          """, SQLiteValue(identifiers.moment.wall), .text(Self.code), .text(Self.message), .integer(sequence))
      }
    }
    return unreadable.count
  }
}

extension StoreReading {
  /// Whether an alert or a contact cannot be read.
  func hasUnreadableEntities() throws -> Bool {
    try !unreadableAlerts().isEmpty || !unreadableContacts().isEmpty
  }

  fileprivate func unreadableAlerts() throws -> [String] {
    try rows("SELECT id FROM alerts") { row in try row["id", as: String.self] }.filter { AlertID(stored: $0) == nil }
  }

  /// Of a removed contact nothing but the id is ever read.
  fileprivate func unreadableContacts() throws -> [String] {
    try rows("SELECT id, name, phone, is_responder, is_dependent, channels, tier, is_removed FROM contacts") {
      row -> String? in
      let id: String = try row["id"]
      let isRemoved: Bool = try row["is_removed"]
      let isReadable = try isRemoved ? ContactID(stored: id) != nil : row.isReadable(Contact.init(row:))
      return isReadable ? nil : id
    }.compactMap { $0 }
  }
}

extension Row {
  /// Whether `read` can make something of the row.
  fileprivate func isReadable<Result>(
    _ read: (borrowing Row) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Bool {
    do throws(SQLiteError) {
      _ = try read(self)
      return true
    } catch {
      guard error.isUnreadableValue else { throw error }
      return false
    }
  }
}
