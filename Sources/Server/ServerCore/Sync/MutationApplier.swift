import Model
import PlantedBugs
import Secrets
import Wire

/// Applies the items of one exchange, in order, within its transaction.
///
/// After a rejected item, or one that must wait, the later ones of the same entity are left alone and get no result: the
/// device keeps them queued behind it.
struct MutationApplier {
  /// Which sent them.
  let device: DeviceID
  /// An alert key's exchange: alerts and notification requests only.
  let isAlertKeyOnly: Bool
  var work: AccountWork
  private(set) var results: [ItemResult] = []
  private(set) var waiting: [WaitingItem] = []
  private var allowance: AlertAllowance
  /// The alerts that this exchange ends.
  private var ended: Set<EntityID> = []
  private var blocked: Set<EntityID> = []
  private let times: DeviceTimes

  private var account: AccountID { work.account }
  private var transaction: any ServerTransaction { work.transaction }
  private var now: Timestamp { work.now }

  init(_ request: SyncRequest, isAlertKeyOnly: Bool, allowance: AlertAllowance, work: AccountWork) {
    device = request.deviceID
    times = DeviceTimes(request, now: work.now)
    self.isAlertKeyOnly = isAlertKeyOnly
    self.allowance = allowance
    self.work = work
  }

  mutating func apply(_ request: SyncRequest) throws(StorageError) {
    results.reserveCapacity(request.mutations.count + request.notifications.count)
    for case .valid(let mutation) in request.mutations {
      if case .deactivateAlert = mutation.change { ended.insert(mutation.entityID) }
    }
    for mutation in request.mutations where !blocked.contains(mutation.entityID) {
      try answer(
        EntityID(mutation.id), about: mutation.entityID, fingerprint: Fingerprint.of(mutation)
      ) { applier throws(StorageError) in try applier.apply(mutation) }
    }
    for notification in request.notifications { try apply(notification) }
    try allowance.save()
  }

  private mutating func apply(_ notification: ReceivedNotification) throws(StorageError) {
    switch notification {
    case .invalid(let id, let code, let message):
      results.append(ItemResult(id: id.description, status: .rejected, code: code, message: message))
    case .valid(let request):
      let entity = EntityID(request.alertID)
      guard !blocked.contains(entity) else { return }
      try answer(
        EntityID(request.id), about: entity, fingerprint: Fingerprint.of(request)
      ) { applier throws(StorageError) in try applier.notify(request) }
    }
  }

  /// Gives the item its result: the first one again where the id was seen before, otherwise what `apply` says.
  private mutating func answer(
    _ id: EntityID, about entity: EntityID, fingerprint: UInt64,
    _ apply: (inout Self) throws(StorageError) -> ItemVerdict
  ) throws(StorageError) {
    let result = try result(of: id, fingerprint: fingerprint, apply)
    if result == nil || result?.status == .rejected { blocked.insert(entity) }
    if let result { results.append(result) }
  }

  private mutating func result(
    of id: EntityID, fingerprint: UInt64, _ apply: (inout Self) throws(StorageError) -> ItemVerdict
  ) throws(StorageError) -> ItemResult? {
    let mutationID = MutationID(id)
    // Most are new and will be applied: one statement finds the first and notes the second.
    let applied = RecordedResult(fingerprint: fingerprint, verdict: .applied(at: now))
    let isNew = try transaction.insertResult(applied, of: mutationID, account: account)
    guard isNew || PlantedBug.forgottenResults.isPlanted else {
      guard let earlier = try transaction.result(of: mutationID, account: account) else {
        throw StorageError(.internalError, "a mutation is there and is not")
      }
      return ItemResult(id: id.description, repeating: earlier, fingerprint: fingerprint)
    }
    let verdict = try apply(&self)
    switch verdict {
    case .applied, .appliedToEnded: break
    case .refusedNow, .alertEnded, .newerCallForHelp: try transaction.removeResult(of: mutationID, account: account)
    case .later(let code, let milliseconds):
      try transaction.removeResult(of: mutationID, account: account)
      waiting.append(WaitingItem(id: id.description, code: code, retryAfterMilliseconds: milliseconds))
    case .rejected(let code, let message):
      try transaction.removeResult(of: mutationID, account: account)
      let rejected = RecordedResult(fingerprint: fingerprint, verdict: .rejected(code: code, message: message))
      _ = try transaction.insertResult(rejected, of: mutationID, account: account)
    }
    return ItemResult(id: id.description, verdict, at: now)
  }

  private mutating func apply(_ mutation: ReceivedMutation) throws(StorageError) -> ItemVerdict {
    switch mutation {
    case .invalid(_, _, let code, let message):
      return code == ReceivedMutation.unknownKind
        ? .refusedNow(code: code, message: message) : .rejected(code: code, message: message)
    case .valid(let mutation):
      switch mutation.change {
      case .activateAlert(let activation): return try activate(mutation, activation)
      case .updateAlert(let update): return try self.update(AlertID(mutation.entityID), mutation.id, update)
      case .deactivateAlert(let end): return try deactivate(mutation, end)
      case .putContact(let details):
        return isAlertKeyOnly ? .forbidden : try put(Contact(id: ContactID(mutation.entityID), details: details))
      case .removeContact: return isAlertKeyOnly ? .forbidden : try remove(ContactID(mutation.entityID))
      }
    }
  }

  /// Stores the alert; one that is there already keeps its start and all else.
  private mutating func activate(
    _ mutation: Mutation, _ activation: AlertActivation
  ) throws(StorageError) -> ItemVerdict {
    let id = AlertID(mutation.entityID)
    let ordinal = work.position.newestOrdinal + 1
    let alert = Alert(
      id: id, startedAt: activation.startedAt, message: activation.message, location: activation.location,
      isDrill: activation.isDrill)
    let record = AlertRecord(alert: alert, ordinal: ordinal, receivedAt: now, endReceivedAt: nil)
    var stored = StoredAlert(
      account: account, record: record, device: device, utcOffsetMinutes: activation.utcOffsetMinutes)
    stored.correctedStartedAt = times.corrected(activation.startedAt, of: mutation.id)
    if let known = try transaction.alert(id, of: account) {
      return known.record.alert.endedAt.map { .appliedToEnded(at: $0) } ?? .applied
    }
    let priority: AlertAllowance.Priority =
      activation.isDrill ? .drill : ended.contains(EntityID(id)) ? .ended : .active
    if let wait = try allowance.take(priority) { return .tooManyAlerts(waitMilliseconds: wait) }
    if try transaction.insertAlert(stored) {
      work.position.newestOrdinal = ordinal
      work.note(.alert, EntityID(id))
    }
    return .applied
  }

  /// A further call for help: responders who were told are told again where it says something new.
  private mutating func update(
    _ id: AlertID, _ mutation: MutationID, _ update: AlertUpdate
  ) throws(StorageError) -> ItemVerdict {
    guard var alert = try transaction.alert(id, of: account) else { return .unknownAlert }
    if let endedAt = alert.record.alert.endedAt { return .alertEnded(at: endedAt) }
    let earlier = alert.record
    alert.record.newestUpdate = NewestUpdate(id: mutation, update: update.over(earlier.newestUpdate?.update))
    alert.updateCount += 1
    try transaction.insertUpdate(
      StoredUpdate(
        account: account, alert: id, number: alert.updateCount, id: mutation, device: device, update: update,
        receivedAt: now),
      alert.record.newestUpdate ?? NewestUpdate(id: mutation, update: update))
    work.note(.alert, EntityID(id))
    let isNews =
      alert.record.newestMessage != earlier.newestMessage || alert.record.newestLocation != earlier.newestLocation
    try work.tellOfUpdate(of: alert, isNews: isNews)
    return .applied
  }

  /// Ends the alert; the first end stands. Not an alert for which another device called for help again, unseen by whoever
  /// ended it.
  private mutating func deactivate(
    _ mutation: Mutation, _ end: AlertDeactivation
  ) throws(StorageError) -> ItemVerdict {
    let id = AlertID(mutation.entityID)
    let corrected = times.corrected(end.endedAt, of: mutation.id)
    let endedAt = end.endedAt
    if let seen = end.seenUpdates, !PlantedBug.staleEndCounts.isPlanted,
      try transaction.hasUpdate(of: id, account: account, after: seen, notBy: device),
      let alert = try transaction.alert(id, of: account), alert.record.alert.isActive
    {
      return .newerCallForHelp(alert.record.newestUpdate?.id)
    }
    if try transaction.endAlert(id, of: account, endedAt: endedAt, correctedAt: corrected, receivedAt: now) {
      work.note(.alert, EntityID(id))
      if try transaction.alert(id, of: account)?.record.alert.isDrill == false { try work.releaseHeld(by: id) }
      return .applied
    }
    return try transaction.alert(id, of: account) == nil ? .unknownAlert : .applied
  }

  private mutating func put(_ contact: Contact) throws(StorageError) -> ItemVerdict {
    if let channel = contact.details.channels.first(where: { !work.configuration.accepts($0) }) {
      let problem = channel.isPlain ? "a channel must be https:// or ntfy://" : "this channel is not accepted"
      return .rejected(code: InvalidInput.Code.channel.rawValue, message: "\(problem) on this server")
    }
    let earlier = try transaction.contact(contact.id, of: account)
    if earlier == contact.details { return .applied }
    let limit = work.configuration.limits.contacts
    if earlier == nil, try transaction.contactCount(account: account) >= limit { return .tooMany("contacts", limit) }
    try transaction.putContact(contact, of: account)
    work.note(.contact, EntityID(contact.id))
    try work.dropDeliveries(of: contact.id, except: contact.details)
    try work.tellOfAlerts(contact)
    return .applied
  }

  /// A contact that is not there is removed already.
  private mutating func remove(_ id: ContactID) throws(StorageError) -> ItemVerdict {
    guard try transaction.removeContact(id, of: account) else { return .applied }
    work.note(.contact, EntityID(id))
    try work.dropDeliveries(of: id, except: nil)
    return .applied
  }

  private mutating func notify(_ request: NotificationRequest) throws(StorageError) -> ItemVerdict {
    guard let alert = try transaction.alert(request.alertID, of: account) else { return .unknownAlert }
    if request.notice == .deactivated, alert.record.alert.isActive { return .notEnded }
    let limit = work.configuration.limits.openDeliveries(toTellOf: alert.record.alert)
    guard try transaction.openDeliveryCount(account: account) < limit else { return .tooManyMessages }
    try work.tell(request.notice, of: alert)
    return .applied
  }
}
