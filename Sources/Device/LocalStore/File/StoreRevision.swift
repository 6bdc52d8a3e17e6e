import SQLiteKit

/// Names the state of the history and of the contacts. Where it is equal to an earlier one, neither has changed since, whatever other
/// processes wrote.
package struct StoreRevision: Hashable, Sendable {
  /// Of the alerts, their order and their owner.
  package let alerts: String
  /// Of the contacts, without whether the server has them.
  package let contacts: String

  package init(alerts: String, contacts: String) {
    self.alerts = alerts
    self.contacts = contacts
  }
}

extension LocalStore {
  /// The current revision; nil while something waits outside the store, which no revision covers.
  ///
  /// Read it before the data that it is kept with: a change in between then shows as another revision later.
  package func revision() throws(LocalStoreError) -> StoreRevision? {
    let outside = waitingAlerts()
    guard outside.alerts.isEmpty, outside.ends.isEmpty else { return nil }
    return try file.read { try $0.revision() }
  }
}

/// The mark of the last write transaction, and those of the last ones that changed alerts and contacts.
struct WriteMark: Hashable {
  /// Of the last transaction.
  var mark: String
  /// Of the last transaction that changed an alert. One that only added alerts does not count.
  var alerts: String
  /// Of the last transaction that changed a contact.
  var contacts: String

  /// Reads a value of `StateKey.writeMark`. One without the other two marks, by another version of this program, may have changed
  /// anything.
  init(_ text: String?) {
    let marks = (text ?? "").split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
    mark = marks[0]
    alerts = marks.count == 3 ? marks[1] : mark
    contacts = marks.count == 3 ? marks[2] : mark
  }

  var text: String { "\(mark) \(alerts) \(contacts)" }
}

extension StoreTransaction {
  /// Leaves `mark`, and names by it what was changed of alerts and contacts, before the transaction ends.
  ///
  /// A transaction without a mark raises an alert. A row that is added is recognized by its place, so that raising an alert needs no
  /// further write.
  func leave(_ mark: String?, after before: WriteMark, _ changes: RowChanges, random: () -> String) throws {
    let changesAlerts = changes.changed.contains("alerts")
    let changesContacts = changes.changed.contains("contacts") || changes.added.contains("contacts")
    guard mark != nil || changesAlerts || changesContacts else { return }
    var left = before
    left.mark = mark ?? random()
    if changesAlerts || changes.added.contains("alerts") { left.alerts = left.mark }
    if changesContacts { left.contacts = left.mark }
    try setValue(left.text, for: .writeMark)
  }
}

extension StoreReading {
  /// What the history and the contacts are now.
  fileprivate func revision() throws -> StoreRevision {
    let newest: Int64? = try value("SELECT max(list_order) FROM alerts")
    let account = try value(of: .accountID) ?? ""
    let left = WriteMark(try value(of: .writeMark))
    return StoreRevision(
      alerts: "\(account) \(left.alerts) \(newest ?? 0)", contacts: "\(account) \(left.contacts)")
  }
}
