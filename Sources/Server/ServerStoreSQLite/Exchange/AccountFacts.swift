package import Model
import SQLiteKit
package import ServerCore

// The facts of one account, by prepared statements in a loop: in a file, a statement costs microseconds.
extension SQLiteServerTransaction {
  package func addFacts(
    _ needs: FactNeeds, of account: AccountID, to facts: inout AccountFacts
  ) throws(StorageError) {
    facts.needs.formUnion(needs)
    if facts.record == nil { facts.record = try self.account(account) }
    facts.position = try logPosition(of: account)
    facts.newestTag = try changeTag(at: facts.position.newestSequence, of: account)
    for id in needs.results { facts.results[id] = try result(of: id, account: account) }
    try addAlerts(needs, account, &facts)
    if needs.contacts {
      for contact in try contacts(of: account) { facts.contacts[contact.id] = contact.details }
      try addChannelResults(of: account, to: &facts)
    }
    for contact in needs.namedContacts where !facts.needs.contacts { try addContact(contact, account, &facts) }
    for contact in needs.failedChannels where !facts.needs.contacts {
      let failed = try channelResults(of: contact, account).failed
      facts.failed[contact] = failed.isEmpty ? nil : failed
    }
    try addDeliveries(needs, account, &facts)
    try addPageFacts(needs, account, &facts)
    for id in needs.inbox { facts.inbox[id] = try inboxAlert(id, account: account) }
    for claim in needs.cursors {
      let tag = try changeTag(at: claim.sequence, of: account)
      // Asked for only where the change was superseded: it reads all cursors of the account.
      let isRemembered =
        tag == nil ? try isCursorRemembered(sequence: claim.sequence, tag: claim.tag, account: account) : false
      facts.cursors[claim] = CursorFact(tag: tag, isRemembered: isRemembered)
    }
    if let page = needs.page { facts.page = try changes(of: account, after: page.sequence, limit: page.count) }
  }

  private func addAlerts(_ needs: FactNeeds, _ account: AccountID, _ facts: inout AccountFacts) throws(StorageError) {
    for id in needs.alerts { facts.alerts[id] = try alert(id, of: account) }
    if needs.activeAlerts > 0 {
      let active = try alerts(of: account, activeOnly: true, before: nil, limit: needs.activeAlerts)
      for alert in active { facts.alerts[alert.id] = alert }
      facts.activeAlerts = active.map(\.id)
    }
    if needs.newestAlerts > 0 {
      let newest = try alerts(of: account, activeOnly: false, before: nil, limit: needs.newestAlerts)
      for alert in newest { facts.alerts[alert.id] = alert }
      facts.newestAlerts = newest.map(\.id)
    }
    for device in needs.silentAlerts {
      for alert in try silentAlerts(ofDevice: device, account: account) {
        facts.alerts[alert.id] = alert
        facts.silentAlerts.insert(alert.id)
      }
    }
    for seen in needs.newerUpdates { facts.newerUpdates[seen] = try hasUpdate(after: seen, account: account) }
  }

  private func addContact(
    _ id: ContactID, _ account: AccountID, _ facts: inout AccountFacts
  ) throws(StorageError) {
    facts.contacts[id] = try contact(id, of: account)
    let results = try channelResults(of: id, account)
    facts.tested[id] = results.tested.isEmpty ? nil : results.tested
    facts.failed[id] = results.failed.isEmpty ? nil : results.failed
  }

  private func addDeliveries(
    _ needs: FactNeeds, _ account: AccountID, _ facts: inout AccountFacts
  ) throws(StorageError) {
    var found: [StoredDelivery] = []
    for id in needs.deliveries {
      if let delivery = try delivery(id), delivery.target.account == account { found.append(delivery) }
    }
    for alert in needs.deliveriesOfAlerts { found += try deliveries(of: alert, account: account) }
    let edits = try editNeeds(needs, account, facts)
    facts.needs.formUnion(edits)
    for key in needs.deliveriesToContacts.union(edits.deliveriesToContacts) {
      found += try deliveries(to: key, account: account)
    }
    for delivery in found { facts.deliveries[delivery.id] = delivery }
    for alert in needs.deliveryCounts.union(edits.deliveryCounts) {
      facts.deliveryCounts[alert] = try deliveryCount(of: alert, account: account)
    }
    if needs.openDeliveryCount { facts.openDeliveryCount = try openDeliveryCount(account: account) }
  }

  private func addPageFacts(
    _ needs: FactNeeds, _ account: AccountID, _ facts: inout AccountFacts
  ) throws(StorageError) {
    for alert in needs.responses {
      for response in try responses(to: alert, account: account) {
        facts.responses[AlertContact(alert, response.contact)] = response
      }
    }
    for alert in needs.tracks { facts.tracks[alert] = try track(of: alert, account: account) }
    for alert in needs.words {
      let said = try words(of: alert, account: account)
      facts.words[alert] = said.isEmpty ? nil : said
    }
    for alert in needs.newestPlaces { facts.newestPlaces[alert] = try newestPlace(of: alert, account: account) }
    for id in needs.lastContactsAboutAlerts {
      // Mostly fetched with it.
      guard let alert = facts.alerts[id] == nil ? try alert(id, of: account) : facts.alerts[id] else { continue }
      let device = alert.device
      facts.needs.lastContacts.insert(device)
      facts.lastContacts[device] = try lastContact(device: device, account: account)
    }
    for device in needs.lastContacts { facts.lastContacts[device] = try lastContact(device: device, account: account) }
  }

  /// What an edit of contacts may touch: what is queued for each, and the deliveries to them about alerts of which they may be told.
  private func editNeeds(
    _ needs: FactNeeds, _ account: AccountID, _ facts: AccountFacts
  ) throws(StorageError) -> FactNeeds {
    var edits = FactNeeds()
    let alerts = Set(facts.activeAlerts + facts.newestAlerts)
    for contact in needs.editedContacts {
      for alert in alerts { edits.deliveriesToContacts.insert(AlertContact(alert, contact)) }
      for delivery in try openDeliveries(contact: contact, account: account) {
        edits.deliveriesToContacts.insert(AlertContact(delivery.target.alert, contact))
      }
    }
    if !needs.editedContacts.isEmpty { edits.deliveryCounts = alerts }
    return edits
  }
}
