import SQLiteKit

/// Names the state of the history, of the contacts and of the inbox. Where it is equal to an earlier one, none of them has changed since,
/// whatever other processes wrote.
package struct StoreRevision: Hashable, Sendable {
  /// Of the alerts, their order and their owner.
  package let alerts: String
  /// Of the contacts, without whether the server has them.
  package let contacts: String
  /// Of the inbox, with the answers that wait.
  package let inbox: String

  package init(alerts: String, contacts: String, inbox: String) {
    self.alerts = alerts
    self.contacts = contacts
    self.inbox = inbox
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

/// The mark of the last write transaction, and those of the last ones that changed alerts, contacts and the inbox.
struct WriteMark: Hashable {
  /// Of the last transaction.
  var mark: String
  /// Of the last transaction that changed an alert. One that only added alerts does not count.
  var alerts: String
  /// Of the last transaction that changed a contact.
  var contacts: String
  /// Of the last transaction that changed the inbox, or what waits in the queue: an answer that is discarded changes no row of the inbox.
  var inbox: String

  /// Reads a value of `StateKey.writeMark`. One without one of the other marks, by another version of this program, may have changed what
  /// the mark is of.
  init(_ text: String?) {
    // By bytes: characters would be looked for in each transaction.
    let marks = (text ?? "").utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map {
      String(Substring($0))
    }
    mark = marks[0]
    alerts = marks.count >= 3 ? marks[1] : mark
    contacts = marks.count >= 3 ? marks[2] : mark
    inbox = marks.count == 4 ? marks[3] : mark
  }

  var text: String { "\(mark) \(alerts) \(contacts) \(inbox)" }
}

extension StoreTransaction {
  /// Leaves `mark`, and names by it what was changed of alerts, contacts and the inbox, before the transaction ends.
  ///
  /// A transaction without a mark raises an alert. A row that is added is recognized by its place, so that raising an alert needs no
  /// further write.
  func leave(_ mark: String?, after changes: RowChanges, random: () -> String) throws {
    let changesAlerts = changes.changed.contains("alerts")
    let changesContacts = changes.changed.contains("contacts") || changes.added.contains("contacts")
    let changesInbox = changes.changed.contains("inbox") || changes.added.contains("inbox")
    guard mark != nil || changesAlerts || changesContacts || changesInbox else { return }
    var left = WriteMark(try value(of: .writeMark))
    left.mark = mark ?? random()
    if changesAlerts || changes.added.contains("alerts") { left.alerts = left.mark }
    if changesContacts { left.contacts = left.mark }
    if changesInbox || changes.changed.contains("pending_mutations") { left.inbox = left.mark }
    try setValue(left.text, for: .writeMark)
  }
}

extension StoreReading {
  /// What the history, the contacts and the inbox are now.
  fileprivate func revision() throws -> StoreRevision {
    let newest: Int64? = try value("SELECT max(list_order) FROM alerts")
    let account = try value(of: .accountID) ?? ""
    let left = WriteMark(try value(of: .writeMark))
    return StoreRevision(
      alerts: "\(account) \(left.alerts) \(newest ?? 0)", contacts: "\(account) \(left.contacts)",
      inbox: "\(account) \(left.inbox)")
  }
}
