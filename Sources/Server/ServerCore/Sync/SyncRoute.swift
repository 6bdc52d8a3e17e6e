import Model
import Wire

/// `POST /v1/sync`: the whole exchange in one transaction.
enum SyncRoute {
  static func handle(_ context: inout RequestContext) throws -> ServerResponse {
    let request = try context.body(SyncRequest.self)
    let limit = try checkedLimit(request)
    guard let id = context.principal.accountID, let account = try context.transaction.account(id) else {
      throw Problem(.unauthorized, "sign in first")
    }
    if case .alertKey = context.principal { return try pushOnly(request, account, &context) }

    let start = try SyncPosition.of(request, account: account, &context)
    let applied = try apply(request, account: id, isAlertKeyOnly: false, &context)
    let page = try ChangePage.read(after: start, account: id, limit: limit, context)
    let changes = request.sentAt == nil ? page.changes.map(\.inWordsOfTheFirstVersion) : page.changes
    let newest = page.hasMore ? try SyncPosition.newest(of: id, epoch: start.epoch, context) : nil
    if let newest { try remember(newest, unless: request.newestCursor, request.deviceID, account: id, context) }
    try remember(page.cursor, unless: request.cursor, request.deviceID, account: id, context)
    return .json(
      SyncResponse(
        results: applied.results, changes: changes, cursor: page.cursor.text, hasMore: page.hasMore,
        newestCursor: newest?.text, epoch: start.epoch, serverTime: context.now, waiting: applied.waiting
      ).json())
  }

  /// An alert key's exchange brings nothing back but the results.
  private static func pushOnly(
    _ request: SyncRequest, _ account: AccountRecord, _ context: inout RequestContext
  ) throws -> ServerResponse {
    let applied = try apply(request, account: account.id, isAlertKeyOnly: true, &context)
    return .json(
      SyncResponse(
        results: applied.results, changes: [], cursor: request.cursor ?? "", hasMore: false, epoch: account.epoch,
        serverTime: context.now, waiting: applied.waiting
      ).json())
  }

  private static func checkedLimit(_ request: SyncRequest) throws(Problem) -> Int {
    guard max(request.mutations.count, request.notifications.count) <= SyncLimits.maximumItems else {
      throw Problem(.bodyTooLarge, "send at most \(SyncLimits.maximumItems) mutations and as many notifications")
    }
    let limit = request.limit ?? SyncLimits.maximumChanges
    guard limit >= 1 else { throw Problem(.malformedRequest, "limit must be at least 1") }
    return min(limit, SyncLimits.maximumChanges)
  }

  private static func apply(
    _ request: SyncRequest, account: AccountID, isAlertKeyOnly: Bool, _ context: inout RequestContext
  ) throws(StorageError) -> MutationApplier {
    let work = try AccountWork(
      account: account, configuration: context.configuration, now: context.now, transaction: context.transaction,
      entropy: context.entropy)
    var applier = MutationApplier(
      request, isAlertKeyOnly: isAlertKeyOnly, allowance: AlertAllowance(context), work: work)
    try applier.apply(request)
    if try applier.work.finish() { context.changedAccounts.append(account) }
    if applier.work.hasQueuedDeliveries { context.hasNewDeliveries = true }
    if try context.transaction.hasActiveAlert(account: account) {
      try noteContact(request.deviceID, account: account, context)
    }
    return applier
  }

  private static func remember(
    _ cursor: SyncCursor, unless known: String?, _ device: DeviceID, account: AccountID, _ context: RequestContext
  ) throws(StorageError) {
    guard cursor.sequence > 0, cursor.text != known else { return }
    try context.transaction.rememberCursor(
      sequence: cursor.sequence, tag: cursor.tag, device: device, account: account,
      keeping: context.configuration.limits.cursorsPerDevice)
    try noteContact(device, account: account, context)
  }

  private static func noteContact(
    _ device: DeviceID, account: AccountID, _ context: RequestContext
  ) throws(StorageError) {
    try context.transaction.noteContact(
      device: device, account: account, at: context.now, keeping: context.configuration.limits.devices)
  }
}

extension Change {
  /// For devices of the first version, which read no answer with a word that they do not know: a contact without the channels of
  /// such kinds. The rest of an answer has only words of that version.
  fileprivate var inWordsOfTheFirstVersion: Change {
    guard case .contact(let id, let record?) = self, record.details.channels.contains(where: { $0.kind == .other }),
      let details = record.details.withoutOtherChannels
    else { return self }
    return .contact(id, ContactRecord(details: details, webhookSecret: record.webhookSecret))
  }
}

extension ContactDetails {
  fileprivate var withoutOtherChannels: ContactDetails? {
    // Fewer channels break no rule.
    try? ContactDetails(
      name: name, phone: phone, isResponder: isResponder, isDependent: isDependent,
      channels: channels.filter { $0.kind != .other })
  }
}
