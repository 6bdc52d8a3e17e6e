import Model
import SQLiteKit
package import ServerCore

extension SQLiteServerTransaction {
  package func apply(_ writes: WriteSet) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      let account = writes.account
      if let epoch = writes.epoch { try setEpoch(epoch, of: account) }
      for alert in writes.newAlerts { try insertAlert(alert) }
      for alert in writes.changedAlerts { try updateAlert(alert) }
      for update in writes.updates { try insertUpdate(update) }
      for contact in writes.contacts { try putContact(contact, of: account) }
      for contact in writes.removedContacts { try removeContact(contact, of: account) }
      if !writes.contacts.isEmpty || !writes.removedContacts.isEmpty {
        try markInboxDue(ofFormerRespondersOf: account)
      }
      for (contact, tested) in writes.tested { try setTested(tested, of: contact, account) }
      for (contact, failed) in writes.failed { try setFailed(failed, of: contact, account) }
      if let profile = writes.profile { try setProfile(profile, of: account) }
      try applyDeliveries(writes)
      for response in writes.responses { try put(response) }
      for key in writes.removedResponses { try removeResponse(key, account: account) }
      for alert in writes.inbox { try put(alert, in: account) }
      for alert in writes.removedInbox { try removeInboxAlert(alert, account: account) }
      for alert in writes.inboxDue { try markInboxDue(alert, account: account) }
      for (id, result) in writes.results { try insertResult(result, of: id, account: account) }
      for change in writes.changes { try insertChange(change, of: account) }
      if let position = writes.position { try setLogPosition(position, of: account) }
      if let bucket = writes.bucket { try set(bucket, of: account) }
      if let contact = writes.contact { try note(contact, with: writes.cursors, of: account) }
    }
  }

  private func applyDeliveries(_ writes: WriteSet) throws(SQLiteError) {
    for release in writes.releases { try apply(release, to: writes.account) }
    for delivery in writes.newDeliveries { try insertDelivery(delivery) }
    for delivery in writes.changedDeliveries { try update(delivery) }
    for link in writes.pageLinks { try keep(link) }
    for link in writes.answerLinks { try keep(link) }
  }

  private func note(
    _ contact: WriteSet.DeviceContact, with cursors: [CursorClaim], of account: AccountID
  ) throws(SQLiteError) {
    for cursor in cursors {
      try rememberCursor(cursor, device: contact.device, account: account, keeping: contact.cursorLimit)
    }
    try noteContact(contact, account: account)
  }
}
