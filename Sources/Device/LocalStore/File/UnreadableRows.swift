import Model
import SQLiteKit

/// Keeps a row that cannot be read, in a file that is otherwise whole, from holding up all others.
///
/// A queued row is never dropped: one of an alert whose own id is all that is lost gets another id, any other is parked with
/// the code `unreadable`. Rows of alerts and contacts cannot stay: a new store is made without them, beside the old one.
struct RowMender {
  static let code = "unreadable"

  let connection: Connection
  let identifiers: IdentifierSource

  /// Mends what can be mended where it stands, inside a write transaction; gives how many rows that were.
  func mendInPlace() throws -> Int {
    try mendDevice() + mendMutations() + mendNotifications() + dropReceipts()
  }

  /// Whether an alert or a contact cannot be read.
  func hasUnreadableEntities() throws -> Bool {
    try !unreadableAlerts().isEmpty || !unreadableContacts().isEmpty
  }

  /// Removes alerts and contacts that cannot be read from a store that was just salvaged; gives how many. The file that was
  /// set aside still has them.
  func dropUnreadableEntities() throws -> Int {
    let alerts = try unreadableAlerts()
    let contacts = try unreadableContacts()
    for id in alerts { try connection.statement("DELETE FROM alerts WHERE id = ?").run(.text(id)) }
    for id in contacts { try connection.statement("DELETE FROM contacts WHERE id = ?").run(.text(id)) }
    return alerts.count + contacts.count
  }

  private func unreadableAlerts() throws -> [String] {
    try connection.statement("SELECT id FROM alerts").all { $0.text(0) }.filter { AlertID(stored: $0) == nil }
  }

  /// Of one that was removed nobody reads more than its id.
  private func unreadableContacts() throws -> [String] {
    try connection.statement(
      "SELECT id, name, phone, is_responder, is_dependent, channels, is_removed FROM contacts"
    ).all { row in
      let isReadable = row.boolean(6) ? ContactID(stored: row.text(0)) != nil : (try? row.contact()) != nil
      return isReadable ? nil : row.text(0)
    }.compactMap { $0 }
  }

  private func mendDevice() throws -> Int {
    guard try connection.value(of: .deviceID).flatMap({ DeviceID($0) }) == nil else { return 0 }
    try connection.setValue((identifiers.next() as DeviceID).description, for: .deviceID)
    return 1
  }

  /// What is pulled again from the start, since only the server can say it anew.
  private func dropReceipts() throws -> Int {
    let lost = try connection.statement(
      "SELECT rowid, id, alert_id, contact_id, notice, channel, state, contact_name, at, reason FROM receipts"
    ).all { row in (rowID: row.integer(0), isReadable: row.isReadableReceipt) }.filter { !$0.isReadable }
    for receipt in lost {
      try connection.statement("DELETE FROM receipts WHERE rowid = ?").run(.integer(receipt.rowID))
    }
    if !lost.isEmpty { try connection.setValue(nil, for: .cursor) }
    return lost.count
  }
}

// The queue.
extension RowMender {
  private func mendMutations() throws -> Int {
    let lost = try connection.statement(
      "SELECT sequence, id, entity_id, kind, body FROM pending_mutations WHERE parked_at IS NULL ORDER BY sequence"
    ).all { row -> (sequence: Int64, isOnlyItsID: Bool)? in
      guard !row.isReadableMutation(id: row.text(1)) else { return nil }
      let isAlert = row.integer(0) < Lane.routine.firstSequence
      return (row.integer(0), isAlert && row.isReadableMutation(id: nil))
    }.compactMap { $0 }
    for (sequence, isOnlyItsID) in lost {
      try isOnlyItsID ? renameMutation(sequence) : parkMutation(sequence)
    }
    return lost.count
  }

  /// An alert has one effect however many ids it comes under: it need not wait for a person.
  private func renameMutation(_ sequence: Int64) throws {
    try connection.statement("UPDATE pending_mutations SET id = ? WHERE sequence = ?")
      .run(SQLiteValue(identifiers.next() as MutationID), .integer(sequence))
  }

  private func parkMutation(_ sequence: Int64) throws {
    try connection.statement(
      """
      UPDATE pending_mutations SET parked_at = ?, parked_code = ?, parked_message = ?, next_attempt_at = 0
      WHERE sequence = ?
      """
    ).run(SQLiteValue(identifiers.moment.wall), .text(Self.code), .text(Self.message), .integer(sequence))
  }

  private func mendNotifications() throws -> Int {
    let lost = try connection.statement(
      "SELECT sequence, id, alert_id, kind FROM pending_notifications WHERE parked_at IS NULL ORDER BY sequence"
    ).all { row -> (sequence: Int64, isOnlyItsID: Bool)? in
      let isOtherwiseReadable = AlertID(stored: row.text(2)) != nil && Notice(rawValue: row.text(3)) != nil
      guard NotificationID(stored: row.text(1)) == nil || !isOtherwiseReadable else { return nil }
      return (row.integer(0), isOtherwiseReadable)
    }.compactMap { $0 }
    for (sequence, isOnlyItsID) in lost {
      if isOnlyItsID {
        try connection.statement("UPDATE pending_notifications SET id = ? WHERE sequence = ?")
          .run(SQLiteValue(identifiers.next() as NotificationID), .integer(sequence))
      } else {
        try parkNotification(sequence)
      }
    }
    return lost.count
  }

  private func parkNotification(_ sequence: Int64) throws {
    try connection.statement(
      """
      UPDATE pending_notifications SET parked_at = ?, parked_code = ?, parked_message = ?, next_attempt_at = 0
      WHERE sequence = ?
      """
    ).run(SQLiteValue(identifiers.moment.wall), .text(Self.code), .text(Self.message), .integer(sequence))
  }

  private static let message = "the store's row of it cannot be read"
}

extension Statement {
  /// Of the columns `sequence, id, entity_id, kind, body`; an `id` of nil is not looked at.
  fileprivate func isReadableMutation(id: String?) -> Bool {
    (id.map { MutationID(stored: $0) != nil } ?? true) && EntityID(stored: text(2)) != nil
      && Mutation.Kind(rawValue: text(3)) != nil && isJSON(text(4))
  }

  /// Of the columns `rowid, id, alert_id, contact_id, notice, channel, state`.
  fileprivate var isReadableReceipt: Bool {
    ReceiptID(stored: text(1)) != nil && AlertID(stored: text(2)) != nil && ContactID(stored: text(3)) != nil
      && Notice(rawValue: text(4)) != nil && DeliveryState(rawValue: text(6)) != nil
  }

  /// As `all`, without the rows that cannot be read: they stay where they are, and the others do not wait for them.
  func allReadable<Result>(_ values: SQLiteValue..., row: (Statement) throws -> Result) throws -> [Result] {
    try bind(all: values)
    defer { reset() }
    var results: [Result] = []
    while try step() {
      do {
        results.append(try row(self))
      } catch let error as LocalStoreError where error == .unreadableRow {
        continue
      }
    }
    return results
  }
}
