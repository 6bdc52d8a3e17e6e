import Model
import PlantedBugs
import Secrets
import Wire

/// Applies the items of one exchange, in order, to the state of the account.
///
/// After an item that is rejected or must wait, later items of the same entity are skipped and get no result: the
/// device keeps them queued behind it.
struct MutationApplier {
  /// The device that sent the items.
  let device: DeviceID
  /// Sent with an alert key: alerts and notification requests only.
  let isAlertKeyOnly: Bool
  var work: AccountWork
  private(set) var results: [ItemResult] = []
  private(set) var waiting: [WaitingItem] = []
  /// What the person said of alerts of other accounts.
  private(set) var replies: [InboxReply] = []
  private(set) var allowance: AlertAllowance
  /// The alerts that this exchange ends.
  private var ended: Set<EntityID> = []
  /// Entities with an item that was not applied.
  private var blocked: Set<EntityID> = []
  /// Edited contacts. Their messages are adjusted once, after the last edit.
  private var editedContacts: [ContactID] = []
  /// Those of `editedContacts` whose number was changed.
  private var replacedContacts: Set<ContactID> = []
  private let times: DeviceTimes

  private var account: AccountID { work.account }
  private var now: Timestamp { work.now }

  init(_ request: SyncRequest, isAlertKeyOnly: Bool, allowance: AlertAllowance, work: AccountWork) {
    device = request.deviceID
    times = DeviceTimes(request, now: work.now)
    self.isAlertKeyOnly = isAlertKeyOnly
    self.allowance = allowance
    self.work = work
  }

  mutating func apply(_ request: SyncRequest) {
    results.reserveCapacity(request.mutations.count + request.notifications.count)
    for case .valid(let mutation) in request.mutations {
      if case .deactivateAlert = mutation.change { ended.insert(mutation.entityID) }
    }
    for mutation in request.mutations where !blocked.contains(mutation.entityID) {
      answer(
        EntityID(mutation.id), about: mutation.entityID, fingerprint: Fingerprint.of(mutation)
      ) { applier in applier.apply(mutation) }
    }
    for contact in editedContacts {
      work.tellAfterEdit(of: contact, isAnotherPerson: replacedContacts.contains(contact))
    }
    for notification in request.notifications { apply(notification) }
  }

  private mutating func apply(_ notification: ReceivedNotification) {
    switch notification {
    case .invalid(let id, let code, let message):
      results.append(ItemResult(id: id.description, status: .rejected, code: code, message: message))
    case .valid(let request):
      let entity = EntityID(request.alertID)
      guard !blocked.contains(entity) else { return }
      answer(
        EntityID(request.id), about: entity, fingerprint: Fingerprint.of(request)
      ) { applier in applier.notify(request) }
    }
  }

  /// Gives the item its result: the recorded one if the id was seen before, otherwise that of `apply`.
  private mutating func answer(
    _ id: EntityID, about entity: EntityID, fingerprint: UInt64,
    _ apply: (inout Self) -> ItemVerdict
  ) {
    let result = result(of: id, fingerprint: fingerprint, apply)
    if result == nil || result?.status == .rejected { blocked.insert(entity) }
    if let result { results.append(result) }
  }

  private mutating func result(
    of id: EntityID, fingerprint: UInt64, _ apply: (inout Self) -> ItemVerdict
  ) -> ItemResult? {
    let mutationID = MutationID(id)
    if let earlier = work.state.result(of: mutationID), !PlantedBug.forgottenResults.isPlanted {
      return ItemResult(id: id.description, repeating: earlier, fingerprint: fingerprint)
    }
    let verdict = apply(&self)
    switch verdict {
    case .applied, .appliedToEnded: note(.applied(at: now), fingerprint, mutationID)
    case .rejected(let code, let message): note(.rejected(code: code, message: message), fingerprint, mutationID)
    case .refusedNow, .alertEnded, .newerCallForHelp: break
    case .later(let code, let milliseconds):
      waiting.append(WaitingItem(id: id.description, code: code, retryAfterMilliseconds: milliseconds))
    }
    return ItemResult(id: id.description, verdict, at: now)
  }

  private mutating func note(_ verdict: RecordedResult.Verdict, _ fingerprint: UInt64, _ id: MutationID) {
    work.state.insertResult(RecordedResult(fingerprint: fingerprint, verdict: verdict), of: id)
  }

  private mutating func apply(_ mutation: ReceivedMutation) -> ItemVerdict {
    switch mutation {
    case .invalid(_, _, let code, let message):
      return code == ReceivedMutation.unknownKind
        ? .refusedNow(code: code, message: message) : .rejected(code: code, message: message)
    case .valid(let mutation):
      switch mutation.change {
      case .activateAlert(let activation): return activate(mutation, activation)
      case .updateAlert(let update): return self.update(AlertID(mutation.entityID), mutation.id, update)
      case .deactivateAlert(let end): return deactivate(mutation, end)
      case .putContact(let details):
        return isAlertKeyOnly ? .forbidden : put(Contact(id: ContactID(mutation.entityID), details: details))
      case .removeContact: return isAlertKeyOnly ? .forbidden : remove(ContactID(mutation.entityID))
      case .putProfile(let profile): return isAlertKeyOnly ? .forbidden : put(profile)
      case .seeInbox: return isAlertKeyOnly ? .forbidden : reply(.seen, mutation)
      case .answerInbox(let answer):
        return isAlertKeyOnly ? .forbidden : reply(.answer(answer), mutation)
      }
    }
  }

  /// Stores the alert. One that is stored already stays as it is.
  private mutating func activate(
    _ mutation: Mutation, _ activation: AlertActivation
  ) -> ItemVerdict {
    let id = AlertID(mutation.entityID)
    let ordinal = work.position.newestOrdinal + 1
    let alert = Alert(
      id: id, startedAt: activation.startedAt, message: activation.message, location: activation.location,
      isDrill: activation.isDrill, onlyContact: activation.onlyContact)
    let record = AlertRecord(alert: alert, ordinal: ordinal, receivedAt: now, endReceivedAt: nil)
    var stored = StoredAlert(
      account: account, record: record, device: device, utcOffsetMinutes: activation.utcOffsetMinutes)
    stored.correctedStartedAt = times.corrected(activation.startedAt, of: mutation.id)
    if let known = work.state.alert(id) {
      return known.record.alert.endedAt.map { .appliedToEnded(at: $0) } ?? .applied
    }
    let priority: AlertAllowance.Priority =
      activation.isDrill ? .drill : ended.contains(EntityID(id)) ? .ended : .active
    if let wait = allowance.take(priority) { return .tooManyAlerts(waitMilliseconds: wait) }
    if work.state.insertAlert(stored) {
      work.position.newestOrdinal = ordinal
      work.note(.alert, EntityID(id))
      work.observations.append(.raised(id, isDrill: activation.isDrill))
    }
    return .applied
  }

  /// A further call for help. Responders who were told are told again if it says something new.
  private mutating func update(
    _ id: AlertID, _ mutation: MutationID, _ update: AlertUpdate
  ) -> ItemVerdict {
    guard var alert = work.state.alert(id) else { return .unknownAlert }
    if let endedAt = alert.record.alert.endedAt { return .alertEnded(at: endedAt) }
    if PlantedBug.secondCallRefused.isPlanted, alert.updateCount > 0 { return .unknownAlert }
    let earlier = alert.record
    alert.record.newestUpdate = NewestUpdate(id: mutation, update: update.over(earlier.newestUpdate?.update))
    alert.updateCount += 1
    work.state.insertUpdate(
      StoredUpdate(
        account: account, alert: id, number: alert.updateCount, id: mutation, device: device, update: update,
        receivedAt: now),
      alert.record.newestUpdate ?? NewestUpdate(id: mutation, update: update))
    work.note(.alert, EntityID(id))
    work.tellOfUpdate(of: alert, isNews: alert.record.isNews(after: earlier, in: update), isCall: update.isCall)
    return .applied
  }

  /// Ends the alert; the first end stands. An alert for which another device called for help again, unseen by the person who
  /// ended it, stays active.
  private mutating func deactivate(
    _ mutation: Mutation, _ end: AlertDeactivation
  ) -> ItemVerdict {
    let id = AlertID(mutation.entityID)
    let corrected = times.corrected(end.endedAt, of: mutation.id)
    let endedAt = end.endedAt
    if let seen = end.seenUpdates, !PlantedBug.staleEndCounts.isPlanted,
      work.state.hasUpdate(after: SeenUpdates(alert: id, updates: seen, device: device)),
      let alert = work.state.alert(id), alert.record.alert.isActive
    {
      return .newerCallForHelp(alert.record.newestUpdate?.id)
    }
    if work.end(id, at: endedAt, correctedAt: corrected) { return .applied }
    return work.state.alert(id) == nil ? .unknownAlert : .applied
  }

  private mutating func put(_ contact: Contact) -> ItemVerdict {
    if let channel = contact.details.channels.first(where: { !work.configuration.accepts($0) }) {
      let problem = channel.isPlain ? "a channel must be https:// or ntfy://" : "this channel is not accepted"
      return .rejected(code: InvalidInput.Code.channel.rawValue, message: "\(problem) on this server")
    }
    let earlier = work.state.contact(contact.id)
    if let reason = reasonAgainstChannels(of: contact.details, earlier) {
      return .rejected(code: InvalidInput.Code.channel.rawValue, message: reason)
    }
    if earlier == contact.details { return .applied }
    let limit = work.configuration.limits.contacts
    if earlier == nil, work.state.contacts.count >= limit { return .tooMany("contacts", limit) }
    work.state.putContact(contact)
    noteEdit(of: contact.id)
    if let earlier, earlier.phone != contact.details.phone { replacedContacts.insert(contact.id) }
    return .applied
  }

  /// Why a contact is refused to which nothing could be sent; nil if it is kept. A channel that an older server or device kept, and to which
  /// nothing can be sent, must not keep the contact from being told over another one.
  private func reasonAgainstChannels(of details: ContactDetails, _ earlier: ContactDetails?) -> String? {
    let added = details.channels.filter { earlier?.channels.contains($0) != true }
    guard details.channels.allSatisfy(\.isMalformed), let first = added.first else { return nil }
    do throws(InvalidInput) {
      _ = try Channel(first.url)
      return nil
    } catch {
      return error.message
    }
  }

  /// A contact that does not exist counts as removed.
  private mutating func remove(_ id: ContactID) -> ItemVerdict {
    guard work.state.removeContact(id) else { return .applied }
    noteEdit(of: id)
    return .applied
  }

  /// The newest name counts, as the newest details of a contact do. The server names the profile by its account.
  private mutating func put(_ profile: Profile) -> ItemVerdict {
    guard work.state.profile != profile else { return .applied }
    work.state.changedProfile = profile
    work.postAgain()
    work.note(.profile, EntityID(account))
    return .applied
  }

  /// An answer to an alert in the person's inbox, or that they opened it.
  private mutating func reply(_ word: InboxReply.Word, _ mutation: Mutation) -> ItemVerdict {
    let time = min(times.serverTime(of: mutation.occurredAt, mutation.id), now)
    switch work.reply(word, to: InboxID(mutation.entityID), at: time) {
    case .success(let reply):
      replies.append(reply)
      return .applied
    case .failure(.unknown): return .unknownAlert
    case .failure(.ended(let end)): return .alertEnded(at: end)
    case .failure(.older):
      return .refusedNow(code: "older_answer", message: "you have answered since, on another device or on the page")
    case .failure(.lapsed):
      return .refusedNow(code: "answer_lapsed", message: "it was given too long ago to count: answer again")
    }
  }

  private mutating func noteEdit(of contact: ContactID) {
    work.note(.contact, EntityID(contact))
    if !editedContacts.contains(contact) { editedContacts.append(contact) }
  }

  private mutating func notify(_ request: NotificationRequest) -> ItemVerdict {
    guard let alert = work.state.alert(request.alertID) else { return .unknownAlert }
    if request.notice == .deactivated, alert.record.alert.isActive { return .notEnded }
    // Its pages are gone, and who was told is not known any more: nobody hears of it again.
    if alert.forgotten != nil { return .applied }
    guard hasRoom(for: request.notice, of: alert) else { return .tooManyMessages }
    work.tell(request.notice, of: alert)
    return .applied
  }

  /// "Safe" needs none where help was queued: there is one at most for each call for help, which had to find room itself.
  private mutating func hasRoom(for notice: Notice, of alert: StoredAlert) -> Bool {
    if notice == .deactivated, alert.notifiedAt != nil { return true }
    let limit = work.configuration.limits.openDeliveries(toTellOf: alert.record.alert)
    return work.state.openDeliveryCount() < limit
  }
}

extension AlertRecord {
  /// Whether responders are told again of an update. The track of a call is on their page, and in what asks again: of places alone, only the
  /// first is told.
  fileprivate func isNews(after earlier: Self, in update: AlertUpdate) -> Bool {
    guard update.isCall else { return earlier.newestLocation == nil && newestLocation != nil }
    return newestMessage != earlier.newestMessage || newestLocation != earlier.newestLocation
  }
}
