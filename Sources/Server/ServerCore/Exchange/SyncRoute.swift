import Model
import PlantedBugs
import Wire

/// `POST /v1/sync`: the whole exchange in one transaction, or a long one in parts.
enum SyncRoute {
  static func rule(_ input: RouteInput) throws(Problem) -> Rule<Caller> {
    let request = try input.body(SyncRequest.self)
    try checkCounts(request)
    let limit = try checkedLimit(request)
    let limits = input.configuration.limits
    let parts = request.parts(ofLength: limits.itemsPerPart, ifLongerThan: limits.itemsPerTransaction)
    return Rule(
      parts: parts.enumerated().map { index, part in
        let isLast = index == parts.count - 1
        return rule(part, pageLimit: isLast && !input.showsAlertKey ? limit : 0, isLast: isLast)
      })
  }

  private static func rule(_ request: SyncRequest, pageLimit: Int, isLast: Bool) -> Rule<Caller>.Part {
    var needs = RequestNeeds()
    needs.caller = FactNeeds(request, pageLimit: pageLimit)
    needs.alertBucket = request.raisesAlert
    return Rule<Caller>.Part(needs) { caller, work in
      let exchange = Exchange(
        request: request, account: caller.account, isAlertKeyOnly: caller.isAlertKeyOnly, pageLimit: pageLimit,
        allowance: AlertAllowance(
          rate: work.configuration.limits.newAlerts, stored: work.facts.alertBucketFullAt, now: work.now),
        session: caller.session, keys: work.keys)
      let outcome = work.decide(about: caller.account.id) { exchange.decide(&$0) }
      work.writes.accounts.append(outcome.writes)
      if outcome.hasChanges { work.changedAccounts.append(caller.account.id) }
      if outcome.hasQueuedDeliveries { work.hasNewDeliveries = true }
      take(outcome.replies, from: caller.account.phone, &work)
      work.progress.note(outcome)
      // Nobody sees the answers of the other parts, which would each repeat the results of all before it.
      guard isLast else { return .noContent }
      var response = outcome.response
      response.results = work.progress.results
      response.waiting = work.progress.waiting
      return .json(response.json())
    }
  }

  /// The answers of a responder take effect in the accounts of those who raised the alerts. Which these are only the inbox says: an
  /// exchange with answers takes a further round trip.
  private static func take(_ replies: [InboxReply], from phone: String, _ work: inout RequestWork) {
    if PlantedBug.inboxAnswerUnheard.isPlanted { return }
    let accounts = Dictionary(grouping: replies, by: \.source.account)
    for (account, replies) in accounts.sorted(by: { $0.key.description < $1.key.description }) {
      work.change(account) { $0.take(replies, from: phone) }
    }
  }

  private static func checkCounts(_ request: SyncRequest) throws(Problem) {
    guard max(request.mutations.count, request.notifications.count) <= SyncLimits.maximumItems else {
      throw Problem(.bodyTooLarge, "send at most \(SyncLimits.maximumItems) mutations and as many notifications")
    }
  }

  private static func checkedLimit(_ request: SyncRequest) throws(Problem) -> Int {
    let limit = request.limit ?? SyncLimits.maximumChanges
    guard limit >= 1 else { throw Problem(.malformedRequest, "limit must be at least 1") }
    return min(limit, SyncLimits.maximumChanges)
  }
}

extension SyncRequest {
  fileprivate var raisesAlert: Bool {
    mutations.contains { mutation in
      guard case .valid(let valid) = mutation, case .activateAlert = valid.change else { return false }
      return true
    }
  }
}
