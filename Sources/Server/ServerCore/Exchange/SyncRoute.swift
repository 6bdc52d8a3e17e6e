import Model
import Wire

/// `POST /v1/sync`: the whole exchange in one transaction, or a long one in parts.
enum SyncRoute {
  static func handle(_ context: inout RequestContext) throws -> ServerResponse {
    let body = context.request.body
    let (part, isLast) = try context.progress.nextPart { () throws(Problem) in
      let request = try RequestContext.decoded(SyncRequest.self, from: body)
      try checkCounts(request)
      return request
    }
    let limit = try checkedLimit(part)
    guard let id = context.principal.accountID, let account = try context.transaction.account(id) else {
      throw Problem(.unauthorized, "sign in first")
    }
    let isAlertKeyOnly = if case .alertKey = context.principal { true } else { false }
    let exchange = Exchange(
      request: part, account: account, isAlertKeyOnly: isAlertKeyOnly,
      pageLimit: isAlertKeyOnly || !isLast ? 0 : limit,
      allowance: AlertAllowance(context), keys: context.keys)
    let (configuration, now, entropy) = (context.configuration, context.now, context.entropy)
    let outcome = try context.transaction.decide(about: id, needs: exchange.needs) { state in
      AccountWork(configuration: configuration, now: now, state: state, entropy: entropy)
    } rules: { work in
      exchange.decide(&work)
    } writes: { _, outcome in
      outcome.writes
    }.result
    if outcome.hasChanges { context.changedAccounts.append(id) }
    if outcome.hasQueuedDeliveries { context.hasNewDeliveries = true }
    context.progress.note(outcome, isLast: isLast)
    var response = outcome.response
    response.results = context.progress.results
    response.waiting = context.progress.waiting
    return .json(isLast ? response.json() : [])
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

extension AlertAllowance {
  fileprivate init(_ context: RequestContext) {
    self.init(
      rate: context.configuration.limits.newAlerts,
      key: context.keys.hash(Array("alerts\0\(context.principal.credential)".utf8), for: .rateCount),
      now: context.now)
  }
}
