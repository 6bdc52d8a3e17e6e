import Model
import Wire

/// What is to stand in one inbox about an alert.
struct InboxPosting {
  var inbox: ResponderInbox
  /// Nil where its owner is no longer told of it.
  var alert: InboxAlert?
  /// The contact that its owner is to the person; nil where `alert` is.
  var contact: Contact?
  /// The link in it, which is to be kept.
  var link: PageLink?
}

// What responders who have accounts read of an alert.
extension AccountWork {
  /// The alert as it is to stand in each of `inboxes`.
  mutating func postings(of id: AlertID, to inboxes: [ResponderInbox], _ keys: ServerKeys) -> [InboxPosting] {
    // All at once: fetched one after the other they would take a round trip each.
    _ = (
      responders(), state.deliveries(of: id), state.responses(to: id), state.track(of: id), state.words(of: id)
    )
    guard let alert = state.alert(id), !PageVisitor.isOver(alert, now: now) else { return [] }
    return inboxes.map { posting(of: alert, to: $0, keys) }
  }

  private mutating func posting(
    of alert: StoredAlert, to inbox: ResponderInbox, _ keys: ServerKeys
  ) -> InboxPosting {
    let told = toldContacts(of: alert, phone: inbox.phone)
    guard let contact = told.first else { return InboxPosting(inbox: inbox) }
    let channel: Channel? = alert.record.alert.isDrill ? .inbox : nil
    let token = keys.pageToken(alert: alert.id, contact: contact, account: account, channel: channel)
    let link = PageLink(key: keys.pageKey(of: token), account: account, alert: alert.id, contact: contact.id)
    let id = keys.inboxID(of: AccountAlert(account: account, alert: alert.id), in: inbox.account)
    var entry = entry(id, of: alert, for: Set(told.map(\.id)))
    entry.pageURL = "\(configuration.publicURL)\(Route.page)/\(token.text)"
    return InboxPosting(inbox: inbox, alert: entry, contact: contact, link: link)
  }

  /// The contacts with this number who are told of the alert: each has a message, also where no channel can carry it.
  private mutating func toldContacts(of alert: StoredAlert, phone: String) -> [Contact] {
    let told = Set(state.deliveries(of: alert.id).map(\.target.contact))
    return responders().filter { $0.details.phone == phone && told.contains($0.id) }
  }

  private mutating func entry(_ id: InboxID, of alert: StoredAlert, for owner: Set<ContactID>) -> InboxAlert {
    let told = alert.told
    var entry = InboxAlert(
      id: id, alertID: alert.id, phone: state.facts.record?.phone ?? "", name: state.profile?.name,
      startedAt: told.startedAt, endedAt: told.endedAt, isDrill: told.isDrill)
    addMessages(of: alert, to: &entry)
    entry.place = place(of: alert)
    entry.batteryPercent = alert.record.newestUpdate?.update.batteryPercent
    entry.noContactSince = alert.silentSince
    entry.askedAgain = alert.asking?.round ?? 0
    let responses = state.responses(to: alert.id)
    let own = responses.values.filter { owner.contains($0.contact) }.max { $0.at < $1.at }
    entry.response = own.map { InboxAlert.Response(InboxAnswer($0.answer, text: $0.text), at: $0.at) }
    entry.isAskedToConfirm = alert.isAskedAbout && own.map { $0.answer.acknowledges && !$0.isFresh(at: now) } == true
    entry.comers = responders().filter { contact in
      !owner.contains(contact.id) && responses[contact.id]?.counts(at: now) == true
    }.map(\.details.name).sorted()
    return entry
  }

  private mutating func addMessages(of alert: StoredAlert, to entry: inout InboxAlert) {
    let limit = InboxAlert.earlierMessageLimit
    let (words, hasMore) = alert.said(state.words(of: alert.id))
    entry.message = words.first?.message
    let earlier = words.dropFirst().map { InboxAlert.EarlierMessage($0.message, at: $0.at) }
    // What they said first stays.
    entry.earlierMessages = earlier.count > limit ? Array(earlier.prefix(limit - 1)) + earlier.suffix(1) : earlier
    entry.hasMoreMessages = hasMore || earlier.count > limit
  }

  private mutating func place(of alert: StoredAlert) -> InboxAlert.Place? {
    if let newest = state.track(of: alert.id).first {
      return InboxAlert.Place(location: newest.location, accuracyMeters: newest.accuracyMeters, at: newest.at)
    }
    return alert.told.location.map { InboxAlert.Place(location: $0, accuracyMeters: nil, at: alert.told.startedAt) }
  }

  /// That the alert, and its end, stand in the inboxes of the contacts.
  mutating func noteReceipts(of contacts: [Contact], about id: AlertID) {
    _ = state.deliveries(of: id)
    guard let alert = state.alert(id) else { return }
    if !contacts.isEmpty { watch(over: alert) }
    for contact in contacts {
      insertReceipt(.activated, contact, alert)
      if !alert.record.alert.isActive { insertReceipt(.deactivated, contact, alert) }
    }
  }

  private mutating func insertReceipt(_ notice: Notice, _ contact: Contact, _ alert: StoredAlert) {
    let target = DeliveryTarget(account: account, alert: alert.id, contact: contact.id, channel: .inbox)
    if let known = state.delivery(notice, to: target) {
      guard known.isOfEarlierNumber else { return }
      var renewed = known
      renewed.contactName = contact.details.name
      renewed.finish(.sent, at: now)
      return update(renewed, from: known)
    }
    insert(
      StoredDelivery(
        id: Identifier(versionSevenAt: now, random: entropy.words()), target: target,
        contactName: contact.details.name, notice: notice,
        priority: DeliveryPriority(notice, isDrill: alert.record.alert.isDrill), state: .sent, stateAt: now,
        createdAt: now))
  }
}

// The inbox of the account itself.
extension AccountWork {
  /// Writes an alert into this account's inbox; nil removes it.
  mutating func post(_ alert: InboxAlert?, of source: AccountAlert, id: InboxID) {
    let stored = alert.map { StoredInboxAlert(source: source, alert: $0) }
    guard state.inboxAlert(id) != stored else { return }
    state.setInboxAlert(stored, id)
    note(.inbox, EntityID(id))
  }
}
