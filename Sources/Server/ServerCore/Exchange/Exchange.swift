import Model
import Secrets
import Wire

/// The rules of one exchange: a function of the request, the facts, the time and the randomness, without a store.
struct Exchange {
  let request: SyncRequest
  let account: AccountRecord
  /// Sent with an alert key: alerts and notification requests only, answered with their results alone.
  let isAlertKeyOnly: Bool
  /// How many changes the answer may carry; 0 for none.
  let pageLimit: Int
  /// The new alerts that the caller's credential may bring.
  let allowance: AlertAllowance
  let session: SessionID
  let keys: ServerKeys

  struct Outcome {
    var response: SyncResponse
    var writes: WriteSet
    /// What the person said of alerts of other accounts.
    var replies: [InboxReply]
    var hasQueuedDeliveries: Bool
    var observations: [Observation]
    var hasChanges: Bool
  }

  /// Applies the items in order, and answers with their results and a page of the account's changes.
  func decide(_ work: inout AccountWork) -> Outcome {
    let start =
      pageLimit == 0
      ? SyncPosition(cursor: SyncCursor(epoch: account.epoch, sequence: 0, tag: 0))
      : SyncPosition.of(request, epoch: account.epoch, &work)
    var applier = MutationApplier(
      request, isAlertKeyOnly: isAlertKeyOnly, allowance: allowance, work: work)
    applier.apply(request)
    work = applier.work
    work.noteContact(with: request.deviceID)
    let hasChanges = work.hasChanges
    work.finish()
    var response = SyncResponse(
      results: applier.results, changes: [], cursor: request.cursor ?? "", hasMore: false, epoch: start.cursor.epoch,
      serverTime: work.now, waiting: applier.waiting, channels: work.configuration.channelKinds.map(\.rawValue))
    var handedOut: [CursorClaim] = []
    if pageLimit > 0 { handedOut = addPage(after: start.cursor, to: &response, &work) }
    var writes = work.writeSet()
    if applier.allowance.isChanged {
      writes.bucket = WriteSet.AlertBucket(
        session: session, isOfAlertKey: isAlertKeyOnly, fullAt: applier.allowance.fullAt)
    }
    if start.isNewEpoch { writes.epoch = start.cursor.epoch }
    if !handedOut.isEmpty || work.state.hasActiveAlert() {
      writes.contact = contact(work)
      writes.cursors = handedOut
    }
    return Outcome(
      response: response, writes: writes, replies: applier.replies, hasQueuedDeliveries: work.hasQueuedDeliveries,
      observations: work.observations, hasChanges: hasChanges)
  }

  /// Adds the changes after `start`. Returns the cursors that are new to the device.
  private func addPage(
    after start: SyncCursor, to response: inout SyncResponse, _ work: inout AccountWork
  ) -> [CursorClaim] {
    let page = ChangePage.of(&work, after: start, limit: pageLimit, keys)
    response.changes = request.sentAt == nil ? page.changes.compactMap(\.inWordsOfTheFirstVersion) : page.changes
    response.cursor = page.cursor.text
    response.hasMore = page.hasMore
    let newest = page.hasMore ? work.newestCursor(epoch: start.epoch) : nil
    response.newestCursor = newest?.text
    var handedOut: [CursorClaim] = []
    if let newest, newest.text != request.newestCursor { handedOut.append(newest.claim) }
    if page.cursor.sequence > 0, page.cursor.text != request.cursor { handedOut.append(page.cursor.claim) }
    return handedOut
  }

  private func contact(_ work: AccountWork) -> WriteSet.DeviceContact {
    let limits = work.configuration.limits
    return WriteSet.DeviceContact(
      device: request.deviceID, at: work.now, deviceLimit: limits.devices, cursorLimit: limits.cursorsPerDevice)
  }
}

extension AccountWork {
  /// The end of the account's changes, after `finish`; nil if it has none.
  fileprivate func newestCursor(epoch: String) -> SyncCursor? {
    guard let tag = changes.last?.tag ?? state.facts.newestTag else { return nil }
    return SyncCursor(epoch: epoch, sequence: position.newestSequence, tag: tag)
  }
}

extension AccountState {
  fileprivate mutating func hasActiveAlert() -> Bool {
    alerts.values.contains { $0.record.alert.isActive } || !activeAlerts(limit: 1).isEmpty
  }
}

extension SyncCursor {
  var claim: CursorClaim { CursorClaim(sequence: sequence, tag: tag) }
}

extension Change {
  /// For devices of the first version, which reject an answer with an unknown word: no profile, no inbox, a contact without channels of
  /// later kinds, and a receipt that does not name one. Nothing else in an answer has words newer than that version.
  fileprivate var inWordsOfTheFirstVersion: Change? {
    switch self {
    case .profile, .inbox: return nil
    case .contact(let id, let record?):
      guard record.details.channels.contains(where: { !$0.kind.isOfFirstVersion }),
        let details = record.details.withoutLaterChannels
      else { return self }
      return .contact(
        id,
        ContactRecord(
          details: details, webhookSecret: record.webhookSecret, tested: record.tested, failed: record.failed))
    case .receipt(let receipt) where !receipt.channel.isOfFirstVersion:
      return .receipt(receipt.naming(.noChannel))
    default: return self
    }
  }
}

extension ContactDetails {
  fileprivate var withoutLaterChannels: ContactDetails? {
    // Details stay valid with fewer channels.
    try? ContactDetails(
      name: name, phone: phone, isResponder: isResponder, isDependent: isDependent,
      channels: channels.filter(\.kind.isOfFirstVersion), tier: tier)
  }
}

extension Channel.Kind {
  fileprivate var isOfFirstVersion: Bool { ![.voice, .app, .other].contains(self) }
}

extension Receipt {
  fileprivate func naming(_ channel: Channel.Kind) -> Receipt {
    Receipt(
      id: id, alertID: alertID, contactID: contactID, contactName: contactName, notice: notice, channel: channel,
      state: state, at: at, reason: reason)
  }
}
