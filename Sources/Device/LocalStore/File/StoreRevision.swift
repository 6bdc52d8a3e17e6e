import SQLiteKit

/// Names what a reader has seen of the history and of the contacts: where it is the same again, neither has changed, whoever wrote
/// to the store meanwhile.
package struct StoreRevision: Hashable, Sendable {
  /// Of the alerts, their order and whose they are.
  package let alerts: String
  /// Of the contacts; not of whether the server has heard of them.
  package let contacts: String

  package init(alerts: String, contacts: String) {
    self.alerts = alerts
    self.contacts = contacts
  }
}

extension LocalStore {
  /// What the history and the contacts are now; nil where something lies outside of the store, which no revision names.
  ///
  /// To be read before what it is kept with: a change in between then shows as another revision later.
  package func revision() throws(LocalStoreError) -> StoreRevision? {
    let outside = waitingAlerts()
    guard outside.alerts.isEmpty, outside.ends.isEmpty else { return nil }
    return try file.read { try $0.revision() }
  }
}

/// What the last write transaction left behind: its own mark, and those of the last that changed alerts and contacts.
struct WriteMark: Hashable {
  /// Of the transaction itself.
  var mark: String
  /// Of the last that changed an alert, but for those that only added one.
  var alerts: String
  /// Of the last that changed a contact.
  var contacts: String

  /// A value of `StateKey.writeMark`. One that names no changes, as of another version of this program, may have made any.
  init(_ text: String?) {
    let marks = (text ?? "").split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
    mark = marks[0]
    alerts = marks.count == 3 ? marks[1] : mark
    contacts = marks.count == 3 ? marks[2] : mark
  }

  var text: String { "\(mark) \(alerts) \(contacts)" }
}

extension Connection {
  /// Leaves `mark`, and where alerts or contacts were changed names that by it, before the transaction ends.
  ///
  /// A transaction without a mark raises an alert. A row that is added is seen by its place, so that the way of an alert to the disk
  /// takes no further write.
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

  /// What the history and the contacts are now.
  fileprivate func revision() throws -> StoreRevision {
    let newest = try statement("SELECT max(list_order) FROM alerts").first { $0.optionalInteger(0) } ?? nil
    let account = try value(of: .accountID) ?? ""
    let left = WriteMark(try value(of: .writeMark))
    return StoreRevision(
      alerts: "\(account) \(left.alerts) \(newest ?? 0)", contacts: "\(account) \(left.contacts)")
  }
}
